/** `elbro run`: reads the configuration, starts the daemon, ends it on a signal. */

import { flushCompileCache } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import { pino } from "pino";
import type { SetupOptions } from "../../api/setup/setup.ts";
import { runningDaemon } from "../../api/socket.ts";
import { type Configuration, loadConfiguration, openAccountFiles } from "../../config/reading/load-config-file.ts";
import type { Config } from "../../config/schema/schema.ts";
import type { Text } from "../../core/language/text.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import { DataDirInUse, StartError } from "../../core/status/start-error.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "../../daemon.ts";
import { inSlices } from "../../state/slices.ts";
import type { Arguments } from "../arguments.ts";
import { beginStart } from "../begin-start.ts";
import { demoGreeting, isDemo, refuseWithoutAccount, startDemo } from "../demo.ts";
import { greet } from "../greet.ts";
import { endOf, installSignalHandlers, restarter, type Signalled, watchStart } from "../process-end.ts";
import {
  configurationSource,
  daemonOptions,
  type Running,
  type StartInputs,
  setupOf,
  withSupervisor,
} from "../start-options.ts";
import { systemClock } from "../system-clock.ts";
import { TerminalLog } from "../terminal-log.ts";
import { fileWatch, watchFolder } from "../watch.ts";
import { startWatchdog } from "../watchdog.ts";

const STDOUT = 1;
const USUAL_COLUMNS = 80;
/** Five seconds: twice the time that a daemon needs to stop, or a command that sends a request to the service. */
const WAITS = { most: 20, everyMs: 250 };
/** Time in ms after which all modules are loaded. Node writes its cache at a regular exit only: no power cut is one. */
const FLUSH_AFTER_MS = 2_000;

export const line = {
  usage: "run",
  about:
    "Runs the daemon. Without a configuration it runs a demo. SIGINT and SIGTERM end it.\nSIGHUP reloads the configuration: keys, plans, plugs, homes, levels, api.* and log.level apply\nimmediately, and another service by a restart of its own; the log names settings that need a restart.\nIt also reloads the files of accounts_dir, which elbro reads again by itself when one of them changes.",
};

/** Handles an unexpected error of the running daemon. Null while none runs. */
let onError: ((error: unknown) => boolean) | null = null;

/** Returns whether the program goes on: after a read failure of the database the daemon restarts and restores it. */
export function outlives(error: unknown): boolean {
  return onError?.(error) ?? false;
}

export async function main(given: Arguments): Promise<number> {
  const up = Promise.withResolvers<Signalled>();
  installSignalHandlers(up.promise);
  const files = openAccountFiles();
  const first = loadConfiguration(given.configPath, process.env, files);
  const clock = systemClock(given.simulated);
  const output = openLog(first.config.log, clock);
  const longStep = startWatchdog();
  const record = isDemo(first.config) ? null : await beginStart(first.config.data_dir, clock, output.log);
  /** Starts again with the present configuration. What fails while the present daemon stops ends with it. */
  const startAgain = (isSuspect: boolean) => {
    current = current.then(async (house) => {
      await house.stop().catch((error: unknown) => output.log.warn({ err: error }, "the daemon did not stop cleanly"));
      // A database that could not be read is checked completely.
      longStep();
      return startHouse({ ...world, isSuspect }, load(), onSetUp);
    });
    current.catch(endOf);
    return current;
  };
  const load = () => loadConfiguration(given.configPath, process.env, files);
  const onSetUp: SetupOptions["onDone"] = (undo, tried) => {
    // From now on, the home that replaces the demo handles signals.
    current = current.then(async (demo) => {
      await demo.stop();
      demo.setAside();
      try {
        return await startHouse({ ...world, tried }, load(), onSetUp);
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        output.log.warn({ reason: error.message }, "the home that was set up cannot be started: the demo continues");
        await undo();
        return startHouse(world, load(), onSetUp, error.text);
      }
    });
    current.catch(endOf);
  };
  const restartIfUnreadable = restarter({ clock, log: output.log }, () => startAgain(true));
  // Stored data belongs to the service that it came from.
  const onOtherService = () => void startAgain(false);
  const world: StartInputs = {
    given,
    files,
    clock,
    ...output,
    isSuspect: false,
    onOtherService,
    onCrash: restartIfUnreadable,
    starts: record && { record, again: () => void startAgain(false) },
  };
  if (record) watchStart(record);
  // The last change of the page may have been set aside.
  let current = startHouse(world, record?.aside ? load() : first, onSetUp);
  await current;
  onError = restartIfUnreadable;
  up.resolve({ reload: async () => (await current).reload(), stop: async () => (await current).stop() });
  return 0;
}

/** Opens the log: lines for people on a terminal, by default JSON elsewhere. */
function openLog({ level, format }: Config["log"], clock: Clock): Pick<StartInputs, "text" | "isTerminal" | "log"> {
  const isTerminal = isatty(STDOUT);
  const isText = isTerminal || process.env.ELBRO_LOG_DEFAULT === "text";
  const isForPeople = (format ?? (isText ? "text" : "json")) === "text";
  const isPlain = !isTerminal || process.env.NO_COLOR || process.env.TERM === "dumb";
  // In a file, lines have the date and no colours.
  const text = isForPeople
    ? new TerminalLog({
        write: (line) => process.stdout.write(line),
        columns: () => process.stdout.columns || USUAL_COLUMNS,
        colors: isPlain ? "none" : "ansi",
        times: isTerminal ? "clock" : "day and clock",
      })
    : null;
  const shape = { base: null, level, timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"` };
  return { text, isTerminal, log: text ? pino(shape, text) : pino(shape) };
}

/** Returns a function that applies changes in order. A signal may arrive while a changed file is being applied. */
function reloadsInOrder(daemon: Daemon, read: () => Promise<Config>, onOtherService: () => void) {
  // A restored backup has replaced a file that was read before.
  if (daemon.isOverlayReplaced) onOtherService();
  let last: Promise<void> = Promise.resolve();
  return (by: string): Promise<void> => {
    last = last.then(async () => {
      await daemon.reload(read, by);
      if (daemon.isOtherService()) onOtherService();
    });
    return last;
  };
}

/**
 * Starts the daemon of a configuration, or the demo without one. Calls `onSetUp` when a home is set up on the demo's
 * page. `failure` is the reason why the home of an earlier set-up could not be started.
 */
async function startHouse(
  world: StartInputs,
  loaded: Configuration,
  onSetUp: SetupOptions["onDone"],
  failure: Text | null = null,
): Promise<Running> {
  const { given, files, clock, text, log } = world;
  const { config, warnings } = loaded;
  for (const warning of warnings) log.warn({}, warning);
  refuseWithoutAccount(loaded);
  const demo = isDemo(config) ? await startDemo({ config, clock, host: process.env.ELBRO_DEMO_HOST }) : null;
  let reload: (by: string) => Promise<void> = async () => undefined;
  const watchCertificates = fileWatch(() => void reload("certificate"));
  const readAgain = async () => {
    if (config.accounts_dir) await inSlices(files.reading(config.accounts_dir), () => undefined);
    const again = loadConfiguration(given.configPath, process.env, files);
    refuseWithoutAccount(again);
    watchCertificates(again.tlsFiles);
    for (const warning of again.warnings) log.warn({}, warning);
    return withSupervisor(again.config);
  };
  // An app of Home Assistant is configured by its options, so the page offers no set-up.
  const writePlain = (line: string) => (text ? text.write(line) : void process.stdout.write(`${line}\n`));
  const isSetUpHere = demo !== null && process.env.SUPERVISOR_TOKEN === undefined;
  const setup = isSetUpHere ? setupOf({ ...demo, config }, writePlain, onSetUp, failure) : null;
  try {
    const used = demo?.config ?? (await withSupervisor(config));
    const daemon = await startWhenFree({
      ...daemonOptions(world, used, demo),
      setup,
      ...(demo ? {} : { source: configurationSource(given.configPath, readAgain) }),
    });
    setTimeout(flushCompileCache, FLUSH_AFTER_MS).unref();
    if (text && !demo) greet(used, daemon, clock, (line) => text.write(line));
    if (demo) process.stdout.write(demoGreeting(demo, { api: daemon.apiPort, broker: daemon.brokerPort }));
    reload = reloadsInOrder(daemon, readAgain, world.onOtherService);
    watchCertificates(demo ? [] : loaded.tlsFiles);
    const unwatched = (why: string) =>
      log.warn({ why }, "accounts_dir cannot be watched; after a change send SIGHUP to have it read again");
    const unwatch = config.accounts_dir && watchFolder(config.accounts_dir, () => reload("accounts_dir"), unwatched);
    return {
      async reload() {
        if (demo) log.info({}, "the demo has no configuration to reload");
        else await reload("SIGHUP");
      },
      async stop() {
        if (unwatch) unwatch();
        watchCertificates([]);
        await daemon.stop();
        // The demo deletes its data after the daemon has written to it for the last time.
        await demo?.close();
      },
      setAside: () => demo?.setAside(),
    };
  } catch (error) {
    await demo?.close();
    throw error;
  }
}

/** Starts the daemon. Waits while a command or a stopping daemon holds the data directory. */
async function startWhenFree(options: DaemonOptions): Promise<Daemon> {
  for (let waits = 0; ; waits++) {
    try {
      return await startDaemon(options);
    } catch (error) {
      if (!(error instanceof DataDirInUse) || waits === WAITS.most) throw error;
      // A daemon that responds will keep the data directory.
      if (await runningDaemon(options.config.data_dir).catch(() => null)) throw error;
      if (waits === 0) options.log.info({}, "data directory is locked by another elbro process; waiting");
      await pause(WAITS.everyMs);
    }
  }
}
