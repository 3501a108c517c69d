/**
 * Loads the converters of Zigbee2MQTT from npm. With their dependencies they are 42 MB. Only the tests that use them
 * install them, from test/package.json, without building the native serial port driver.
 */
import { createRequire } from "node:module";
import { installTestPackages, TEST_FOLDER } from "../runner/test-packages.ts";

const PACKAGE = "zigbee-herdsman-converters";

interface Result {
  readonly state?: Record<string, unknown>;
}

export interface ToZigbee {
  readonly key?: readonly string[];
  readonly convertSet?: (entity: object, key: string, value: unknown, meta: object) => Promise<Result | undefined>;
  readonly convertGet?: (entity: object, key: string, meta: object) => Promise<void>;
}

export interface FromZigbee {
  readonly cluster: string;
  readonly type: readonly string[] | string;
  readonly convert: (
    model: object,
    message: object,
    publish: (payload: object) => void,
    options: object,
    meta: object,
  ) => Record<string, unknown> | undefined;
}

export interface Definition {
  readonly model: string;
  readonly vendor: string;
  readonly exposes: readonly object[] | ((device: object, options: object) => readonly object[]);
  readonly toZigbee: readonly ToZigbee[];
  readonly fromZigbee: readonly FromZigbee[];
}

export interface Converters {
  readonly findByDevice: (device: object) => Promise<Definition | undefined>;
  readonly setLogger: (logger: object) => void;
}

/** Installs and loads the converters; null if they cannot be installed, for example without a network. */
export function loadConverters(): Converters | null {
  if (!installTestPackages()) return null;
  const require = createRequire(`${TEST_FOLDER}package.json`);
  const converters = require(PACKAGE) as Converters;
  const quiet = () => undefined;
  converters.setLogger({ debug: quiet, info: quiet, warning: quiet, error: quiet });
  return converters;
}
