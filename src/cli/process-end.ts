/** How the process ends: by a signal, by an error, or by a restart of the daemon in it. */
import { isatty } from "node:tty";
import type { Logger } from "pino";
import type { Clock } from "../core/runtime/clock.ts";
import { PassingStartError, StartError } from "../core/status/start-error.ts";
import { errorMessage } from "../core/text/error-words.ts";
import { HOUR_MS } from "../core/time/interval.ts";
import { isReadFailure } from "../storage/database.ts";
import type { StartRecord } from "../storage/recovery/start-record.ts";
import { failed } from "./output.ts";

/** Exit code of a configuration that cannot be used (EX_CONFIG of sysexits). */
export const BAD_CONFIGURATION = 78;
/** Exit code of a failure that may pass by itself (EX_TEMPFAIL). */
export const TRY_AGAIN = 75;
const STDIN = 0;
/** Shutdown deadline: exit even if a component is still running. The state is on disk at any time. */
const STOP_TIMEOUT_MS = 1_800;

/** Maximum restarts in one process because the database could not be read, and the time after which they are forgotten. */
const RESTARTS = { most: 3, withinMs: HOUR_MS };

export type Signalled = { readonly reload: () => Promise<void>; readonly stop: () => Promise<void> };

/** Notes in the record of the starts that the daemon has run for ten minutes, or that it ends as it should. */
export function watchStart(record: StartRecord): void {
  record.watch(new AbortController().signal).catch(() => undefined);
  process.once("exit", (code) => {
    if ([0, TRY_AGAIN, BAD_CONFIGURATION].includes(code)) record.ended();
  });
}

/** After a read failure of the database, starts the daemon again, within RESTARTS. */
export function restarter(
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
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
export function endOf(error: unknown): void {
  failed(errorMessage(error));
  if (error instanceof PassingStartError) process.exit(TRY_AGAIN);
  process.exit(error instanceof StartError ? BAD_CONFIGURATION : 1);
}

/** Handles signals from the start on. Signals before the daemon has started wait for it; a stop waits until its deadline. */
export function installSignalHandlers(up: Promise<Signalled>): void {
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
