/** `elbro run`: reads the configuration, starts the daemon, ends it on a signal. */
import { flushCompileCache } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import { pino } from "pino";
import { commandHint } from "../../config/command-hint.ts";
import { configPath, loadConfiguration, openAccountFiles, readConfiguration } from "../../config/load-config-file.ts";
import type { Config } from "../../config/schema.ts";
import { DataDirInUse, StartError } from "../../core/status/start-error.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "../../daemon.ts";
import { proxyOf } from "../../service/client/proxy.ts";
import type { ConfigurationSource } from "../../state/configuration-editor.ts";
import { inSlices } from "../../state/slices.ts";
import type { Given } from "../arguments.ts";
import { runningDaemon } from "../connect.ts";
import { demoGreeting, isDemo, startDemo } from "../demo.ts";
import { machineId } from "../machine-id.ts";
import { systemClock } from "../system-clock.ts";
import { TerminalLog } from "../terminal-log.ts";
import { watchFolder } from "../watch-folder.ts";

const STDIN = 0;
const STDOUT = 1;
const USUAL_COLUMNS = 80;
/** Five seconds: twice what an elbro needs to end, and what a command needs that asks the service. */
const WAITS = { most: 20, everyMs: 250 };
/**
 * By then a start has loaded its modules. Node writes its compile cache at a regular exit; a daemon often ends by a power
 * cut.
 */
const FLUSH_AFTER_MS = 2_000;
/** After this a part that does not end is left behind; state is on disk at every moment. */
const STOP_TIMEOUT_MS = 1_800;

export const line = {
  usage: "run",
  about:
    "Runs the daemon. Without any configuration it shows an invented house. SIGINT and SIGTERM end it.\nSIGHUP has it read its configuration again: keys, plans, plugs, homes, levels, api.* and log.level are used at\nonce, the rest is named.\nSo are the files of accounts_dir, which it also reads again when one of them changes.",
};

export async function main(given: Given): Promise<number> {
  const up = Promise.withResolvers<Running>();
  installSignalHandlers(up.promise);
  const files = openAccountFiles();
  const { config, path, warnings } = loadConfiguration(given.configPath, process.env, files);
  const clock = systemClock(given.simulated);
  const terminal = isatty(STDOUT) ? terminalLog() : null;
  const shape = {
    base: null,
    level: config.log.level,
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
  };
  const log = terminal ? pino(shape, terminal) : pino(shape);
  for (const warning of warnings) log.warn({}, warning);
  const demo =
    path === null && isDemo(config)
      ? await startDemo({
          ...{ config, clock, hasDataDir: process.env.ELBRO_DATA_DIR !== undefined },
          host: process.env.ELBRO_DEMO_HOST,
        })
      : null;
  if (!demo && isDemo(config))
    throw new StartError(
      `${path ?? "the configuration"} has neither consumer.api_key nor third_party; set one of them`,
    );
  const readAgain = async () => {
    if (config.accounts_dir) await inSlices(files.reading(config.accounts_dir), () => undefined);
    const again = loadConfiguration(given.configPath, process.env, files);
    for (const warning of again.warnings) log.warn({}, warning);
    return withSupervisor(again.config);
  };
  try {
    const used = demo?.config ?? (await withSupervisor(config));
    const daemon = await startWhenFree({
      ...{ config: used, clock, log, random: Math.random, anonymousBroker: demo?.anonymousBroker ?? false },
      ...(demo ? {} : { source: configurationSource(given.configPath, readAgain) }),
      onConfig: ({ log: { level } }) => {
        log.level = level;
      },
      commandHint: commandHint(process),
      machine: machineId(),
      ingress: process.env.SUPERVISOR_TOKEN !== undefined,
      // The demo's service lives by the daemon's clock, so it could not tell that this is wrong.
      simulatedTime: given.simulated !== null || demo !== null,
      ...(terminal ? { onProgress: (history) => terminal.progress("history", history) } : {}),
      // The demo's service is on this machine, where no proxy leads.
      proxy: demo ? null : proxyOf(process.env),
    });
    setTimeout(flushCompileCache, FLUSH_AFTER_MS).unref();
    if (demo) process.stdout.write(demoGreeting(demo, { api: daemon.apiPort, broker: daemon.brokerPort }));
    // One after the other: a signal may come while a change of a file is being taken over.
    let reloaded: Promise<void> = Promise.resolve();
    const reload = () => {
      reloaded = reloaded.then(async () => void (await daemon.reload(readAgain)));
      return reloaded;
    };
    const unwatched = (why: string) =>
      log.warn({ why }, "accounts_dir cannot be watched; after a change send SIGHUP to have it read again");
    const unwatch = config.accounts_dir ? watchFolder(config.accounts_dir, reload, unwatched) : null;
    up.resolve({
      async reload() {
        if (demo) log.info({}, "the invented house has no configuration to read again");
        else await reload();
      },
      async stop() {
        unwatch?.();
        await daemon.stop();
        // What the demo keeps goes when the daemon has written its last.
        await demo?.close();
      },
    });
    return 0;
  } catch (error) {
    await demo?.close();
    throw error;
  }
}

/** The configuration as the dashboard and programs change it. */
function configurationSource(given: string | null, read: () => Promise<Config>): ConfigurationSource {
  const path = configPath(given, process.env);
  return {
    path,
    isSetOutside: (list) => Boolean(process.env[`ELBRO_${list.toUpperCase()}`]),
    readWith: (texts) => readConfiguration(path, process.env, texts),
    read,
  };
}

interface Running {
  readonly reload: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Takes signals from the first moment on. What comes before the daemon is up waits for it, an end not for long. */
function installSignalHandlers(up: Promise<Running>): void {
  const stop = () => {
    setTimeout(() => process.exit(0), STOP_TIMEOUT_MS).unref();
    void up.then((daemon) => daemon.stop()).then(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  const onTerminal = isatty(STDIN);
  process.on("SIGHUP", () => {
    // The terminal it was started on is closed.
    if (onTerminal && !isatty(STDIN)) stop();
    else void up.then((daemon) => daemon.reload());
  });
}

/** A command that looks into the data directory, or a daemon that is about to end, holds it for a moment. */
async function startWhenFree(options: DaemonOptions): Promise<Daemon> {
  for (let waits = 0; ; waits++) {
    try {
      return await startDaemon(options);
    } catch (error) {
      if (!(error instanceof DataDirInUse) || waits === WAITS.most) throw error;
      // A daemon that answers is there to stay.
      if (await runningDaemon(options.config.data_dir).catch(() => null)) throw error;
      if (waits === 0) options.log.info({}, "waits for the data directory: another elbro uses it at this moment");
      await pause(WAITS.everyMs);
    }
  }
}

/** Lines for a person, where one looks on; JSON everywhere else. */
function terminalLog(): TerminalLog {
  return new TerminalLog({
    write: (text) => process.stdout.write(text),
    columns: () => process.stdout.columns || USUAL_COLUMNS,
    colors: process.env.NO_COLOR || process.env.TERM === "dumb" ? "none" : "ansi",
  });
}

/** An app of Home Assistant asks the supervisor for what the configuration does not say. */
async function withSupervisor(config: Config): Promise<Config> {
  const token = process.env.SUPERVISOR_TOKEN;
  if (token === undefined) return config;
  const { withSupervisorsBroker, withSupervisorsHomeAssistant } = await import("../homeassistant-supervisor.ts");
  return withSupervisorsHomeAssistant(await withSupervisorsBroker(config, token), token);
}
