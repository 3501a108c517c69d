/** Options of a daemon that the command line starts, and what is kept when it starts again. */
import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import type { SetupOptions } from "../api/setup/setup.ts";
import { commandHint } from "../config/command-hint.ts";
import type { ConfigurationSource } from "../config/editing/overlay-writer.ts";
import { configPath, type openAccountFiles, readConfiguration } from "../config/reading/load-config-file.ts";
import type { Config } from "../config/schema/schema.ts";
import type { Text } from "../core/language/text.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { OVERLAY_FILE } from "../core/runtime/data-files.ts";
import type { DaemonOptions } from "../daemon.ts";
import { proxyOf } from "../service/client/proxy.ts";
import type { TriedAttempt } from "../storage/request-log.ts";
import type { Arguments } from "./arguments.ts";
import type { Demo } from "./demo.ts";
import { historyProgress } from "./history-progress.ts";
import type { Signalled } from "./process-end.ts";
import type { TerminalLog } from "./terminal-log.ts";

/** Inputs of a start, kept when a real home replaces the demo. */
export interface StartInputs {
  readonly given: Arguments;
  readonly files: ReturnType<typeof openAccountFiles>;
  readonly clock: Clock;
  /** Null if the log is JSON. */
  readonly text: TerminalLog | null;
  readonly isTerminal: boolean;
  readonly log: Logger;
  /** Called when a reload has changed the service, and when a restored backup has changed page.yaml. */
  readonly onOtherService: () => void;
  /** Called with an unexpected error of a request. */
  readonly onCrash: (error: unknown) => void;
  /** Whether the database could not be read before this start. */
  readonly isSuspect: boolean;
  /** Null for the demo, and if there is no record of the starts. */
  readonly starts: DaemonOptions["starts"] | null;
  /** Requests of the set-up before this start. */
  readonly tried?: readonly TriedAttempt[];
}

export function daemonOptions(
  { given, clock, text, isTerminal, log, onCrash, isSuspect, starts, tried = [] }: StartInputs,
  config: Config,
  demo: Demo | null,
): DaemonOptions {
  return {
    config,
    clock,
    log,
    random: Math.random,
    anonymousBroker: demo?.anonymousBroker ?? false,
    onConfig: ({ log: { level } }) => {
      log.level = level;
    },
    commandHint: commandHint(process),
    machine: [hostname(), ...ID_FILES.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : ""))].join("\n"),
    ingress: process.env.SUPERVISOR_TOKEN !== undefined,
    // The simulator uses the daemon's clock, so it cannot detect a wrong one.
    simulatedTime: given.simulated !== null || demo !== null,
    isDemo: demo !== null,
    onCrash,
    isSuspect,
    ...(starts && { starts }),
    tried,
    onProgress: historyProgress({
      now: () => clock.now(),
      log,
      ...(text && isTerminal ? { show: (done) => text.progress("history", done) } : {}),
    }),
    // The simulator runs on this machine, so no proxy is used.
    proxy: demo ? null : proxyOf(process.env),
  };
}

export interface Running extends Signalled {
  /** Moves the demo's database aside. Call after `stop`. */
  readonly setAside: () => void;
}

export function setupOf(
  { config, openKey: demoKey }: Pick<Demo, "config" | "openKey">,
  writePlain: (line: string) => void,
  onDone: SetupOptions["onDone"],
  failure: Text | null,
): SetupOptions {
  return {
    path: join(config.data_dir, OVERLAY_FILE),
    config,
    demoKey,
    proxy: proxyOf(process.env),
    onDone,
    failure,
    readWith: (texts) => readConfiguration(null, process.env, texts),
    // A line of its own also in a JSON log: a person reads it.
    onCode: (code) => writePlain(`To set up your home from another machine, enter the code ${code} on the dashboard.`),
  };
}

export function configurationSource(given: string | null, read: () => Promise<Config>): ConfigurationSource {
  const path = configPath(given, process.env);
  return {
    path,
    isSetOutside(key) {
      const variable = `ELBRO_${key.replaceAll(".", "_").toUpperCase()}`;
      return Boolean(process.env[variable] || process.env[`${variable}_FILE`]);
    },
    readWith: (texts) => readConfiguration(path, process.env, texts),
    read,
  };
}

/** Files with the id of the system, and of the board of a Raspberry Pi. Source: machine-id(5). */
const ID_FILES = ["/etc/machine-id", "/proc/device-tree/serial-number"];

/** In an app of Home Assistant, adds settings from the supervisor that are missing in the configuration. */
export async function withSupervisor(config: Config): Promise<Config> {
  const token = process.env.SUPERVISOR_TOKEN;
  if (token === undefined) return config;
  const { withSupervisorsBroker, withSupervisorsHomeAssistant } = await import("./homeassistant-supervisor.ts");
  return withSupervisorsHomeAssistant(await withSupervisorsBroker(config, token), token);
}
