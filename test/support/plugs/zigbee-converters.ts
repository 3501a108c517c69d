/** Loads the converters of Zigbee2MQTT, which are a package of single tests (.ci/packages/tests). */
import { lacks, requirePackage } from "../runner/needs.ts";

type Result = { readonly state?: Record<string, unknown> };

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

/** Loads the converters; null if they are not installed. */
export function loadConverters(): Converters | null {
  if (lacks("zigbee-herdsman-converters")) return null;
  const converters = requirePackage("zigbee-herdsman-converters") as Converters;
  const quiet = () => undefined;
  converters.setLogger({ debug: quiet, info: quiet, warning: quiet, error: quiet });
  return converters;
}
