/** `elbro run`: reads the configuration, starts the daemon, ends it on a signal. */

import { existsSync, readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import { type Logger, pino } from "pino";
import { lanUrls } from "../../api/lan-urls.ts";
import type { SetupOptions } from "../../api/setup/setup.ts";
import { runningDaemon } from "../../api/socket.ts";
import { commandHint, isContainer } from "../../config/command-hint.ts";
import { dashboardUrlOf } from "../../config/dashboard-url.ts";
import type { ConfigurationSource } from "../../config/editing/page-writer.ts";
import {
  type Configuration,
  configPath,
  loadConfiguration,
  openAccountFiles,
  readConfiguration,
} from "../../config/reading/load-config-file.ts";
import type { Config } from "../../config/schema/schema.ts";
import type { Text } from "../../core/language/text.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import { PAGE_FILE } from "../../core/runtime/data-files.ts";
import { DataDirInUse, PassingStartError, StartError } from "../../core/status/start-error.ts";
import { errorMessage } from "../../core/text/error-words.ts";
import { HOUR_MS } from "../../core/time/interval.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "../../daemon.ts";
import { proxyOf } from "../../service/client/proxy.ts";
import { inSlices } from "../../state/slices.ts";
import { isReadFailure } from "../../storage/database.ts";
import type { StartRecord } from "../../storage/recovery/start-record.ts";
import type { TriedAttempt } from "../../storage/request-log.ts";
import type { Arguments } from "../arguments.ts";
import { beginStart } from "../begin-start.ts";
import { type Demo, demoGreeting, isDemo, refuseWithoutAccount, startDemo } from "../demo.ts";
import { greeting, houseText } from "../greeting.ts";
import { historyProgress } from "../history-progress.ts";
import { failed } from "../output.ts";
import { systemClock } from "../system-clock.ts";
import { TerminalLog } from "../terminal-log.ts";
import { fileWatch, watchFolder } from "../watch.ts";
import { startWatchdog } from "../watchdog.ts";

/** Exit code of a configuration that cannot be used (EX_CONFIG of sysexits). */
export const BAD_CONFIGURATION = 78;
/** Exit code of a failure that may pass by itself (EX_TEMPFAIL). */
export const TRY_AGAIN = 75;
const STDIN = 0;
const STDOUT = 1;
const USUAL_COLUMNS = 80;
/** Five seconds: twice the time that a daemon needs to stop, or a command that sends a request to the service. */
const WAITS = { most: 20, everyMs: 250 };
/** Time in ms after which all modules are loaded. Node writes its cache at a regular exit only: no power cut is one. */
const FLUSH_AFTER_MS = 2_000;
/** Shutdown deadline: exit even if a component is still running. The state is on disk at any time. */
const STOP_TIMEOUT_MS = 1_800;

export const line = {
  usage: "run",
  about:
    "Runs the daemon. Without a configuration it runs a demo. SIGINT and SIGTERM end it.\nSIGHUP reloads the configuration: keys, plans, plugs, homes, levels, api.* and log.level apply\nimmediately, and another service by a restart of its own; the log names settings that need a restart.\nIt also reloads the files of accounts_dir, which elbro reads again by itself when one of them changes.",
};

/** Maximum restarts in one process because the database could not be read, and the time after which they are forgotten. */
const RESTARTS = { most: 3, withinMs: HOUR_MS };

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
  const world: World = {
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

/** Notes in the record of the starts that the daemon has run for ten minutes, or that it ends as it should. */
function watchStart(record: StartRecord): void {
  record.watch(new AbortController().signal).catch(() => undefined);
  process.once("exit", (code) => {
    if ([0, TRY_AGAIN, BAD_CONFIGURATION].includes(code)) record.ended();
  });
}

/** Opens the log: lines for people on a terminal, by default JSON elsewhere. */
function openLog({ level, format }: Config["log"], clock: Clock): Pick<World, "text" | "isTerminal" | "log"> {
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

/** After a read failure of the database, starts the daemon again, within RESTARTS. */
function restarter(
  { clock, log }: Pick<World, "clock" | "log">,
  startAgain: () => Promise<unknown>,
): (error: unknown) => boolean {
  let restarts: readonly number[] = [];
  let isRestarting = false;
  return (error) => {
    if (!isReadFailure(error)) return false;
    if (isRestarting) return true;
    const at = clock.monotonicMs();
    restarts = [...restarts.filter((restart) => restart > at - RESTARTS.withinMs), at];
    if (restarts.length > RESTARTS.most) return false;
    isRestarting = true;
    log.warn({ err: error }, "the database cannot be read: elbro starts again and restores it");
    const ended = () => {
      isRestarting = false;
    };
    startAgain().then(ended, ended);
    return true;
  };
}

/** Ends the program if neither the home that was set up nor the demo can be started. */
function endOf(error: unknown): void {
  failed(errorMessage(error));
  if (error instanceof PassingStartError) process.exit(TRY_AGAIN);
  process.exit(error instanceof StartError ? BAD_CONFIGURATION : 1);
}

/** State that is kept when a real home replaces the demo. */
interface World {
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

function daemonOptions(
  { given, clock, text, isTerminal, log, onCrash, isSuspect, starts, tried = [] }: World,
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
    machine: machineId(),
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

/** Returns a function that applies changes in order. A signal may arrive while a changed file is being applied. */
function reloadsInOrder(daemon: Daemon, read: () => Promise<Config>, onOtherService: () => void) {
  // A restored backup has replaced a file that was read before.
  if (daemon.isPageReplaced) onOtherService();
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
  world: World,
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

/** Maximum number of homes in the text of a start. */
const MAX_GREETED = 8;
/** Time in ms to wait for the prices of all homes. After it, homes without a price are printed without one. */
const GREETING_WAIT_MS = 60_000;

/** Prints the address of the dashboard, and prices and next runs once they are known. */
function greet(config: Config, daemon: Daemon, clock: Clock, write: (line: string) => void): void {
  const say = (text: string) => text.trimEnd().split("\n").forEach(write);
  const broker =
    config.mqtt.url === undefined ? `built-in broker, port ${daemon.brokerPort}` : new URL(config.mqtt.url).host;
  say(greeting(dashboardAt(config.api, daemon.apiPort), broker));
  const startedMs = clock.monotonicMs();
  let isGreeted = false;
  daemon.published.subscribe(() => {
    if (isGreeted) return;
    const now = clock.now();
    const prices = daemon.currentPrices(now, MAX_GREETED);
    const isWhole = prices.every(({ price }) => price !== null);
    const isLate = clock.monotonicMs() - startedMs >= GREETING_WAIT_MS;
    isGreeted = prices.some(({ price }) => price !== null) && (isWhole || isLate);
    if (isGreeted) say(houseText({ prices, runs: daemon.nextRuns(now) }, daemon.calendar, now));
  });
}

/** Returns the dashboard's address on the LAN; localhost in a container, where the LAN address is unknown. */
function dashboardAt(api: Config["api"], port: number): string {
  if (process.env.SUPERVISOR_TOKEN !== undefined) return "in the side bar of Home Assistant";
  const [lan] = isContainer() ? [] : lanUrls({ ...api, port });
  return dashboardUrlOf(api) ?? lan ?? `http${api.tls ? "s" : ""}://localhost:${port}/`;
}

function setupOf(
  { config, openKey: demoKey }: Pick<Demo, "config" | "openKey">,
  writePlain: (line: string) => void,
  onDone: SetupOptions["onDone"],
  failure: Text | null,
): SetupOptions {
  return {
    path: join(config.data_dir, PAGE_FILE),
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

function configurationSource(given: string | null, read: () => Promise<Config>): ConfigurationSource {
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

interface Signalled {
  readonly reload: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Running extends Signalled {
  /** Moves the demo's database aside. Call after `stop`. */
  readonly setAside: () => void;
}

/** Handles signals from the start on. Signals before the daemon has started wait for it; a stop waits until its deadline. */
function installSignalHandlers(up: Promise<Signalled>): void {
  const stop = () => {
    setTimeout(() => process.exit(0), STOP_TIMEOUT_MS).unref();
    void up.then((daemon) => daemon.stop()).then(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  const onTerminal = isatty(STDIN);
  process.on("SIGHUP", () => {
    // The terminal of the start was closed.
    if (onTerminal && !isatty(STDIN)) stop();
    else void up.then((daemon) => daemon.reload());
  });
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

/** Files with the id of the system, and of the board of a Raspberry Pi. Source: machine-id(5). */
const ID_FILES = ["/etc/machine-id", "/proc/device-tree/serial-number"];

/** Returns an id of this machine or container. A machine with a copy of its memory card has another id. */
function machineId(): string {
  const ids = ID_FILES.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : ""));
  return [hostname(), ...ids].join("\n");
}

/** In an app of Home Assistant, adds settings from the supervisor that are missing in the configuration. */
async function withSupervisor(config: Config): Promise<Config> {
  const token = process.env.SUPERVISOR_TOKEN;
  if (token === undefined) return config;
  const { withSupervisorsBroker, withSupervisorsHomeAssistant } = await import("../homeassistant-supervisor.ts");
  return withSupervisorsHomeAssistant(await withSupervisorsBroker(config, token), token);
}
