/** Reports the progress of the back-fill and the reason of a pause. Pauses of 5 min or more are logged once. */
import type { BackfillState } from "../core/status/daemon-status.ts";
import { type EpochMs, MINUTE_MS } from "../core/time/interval.ts";

export interface HistoryProgressDeps {
  readonly now: () => EpochMs;
  readonly log: { info(facts: object, text: string): void };
  /** Shows the progress on a terminal; absent without one. */
  readonly show?: (done: { readonly known: number; readonly wanted: number; readonly note: string } | null) => void;
}

/** Shorter pauses are not logged: a quota per minute causes one in every minute. */
const REPORTED_FROM_MS = 5 * MINUTE_MS;
const SHOWN_FROM_MS = 5_000;

export function historyProgress({ now, log, show }: HistoryProgressDeps): (history: BackfillState | null) => void {
  let reportedUntil = Number.NEGATIVE_INFINITY;
  return (history) => {
    const pause = history?.pause ?? null;
    const leftMs = pause === null ? 0 : pause.until - now();
    if (pause && leftMs >= REPORTED_FROM_MS && now() >= reportedUntil) {
      reportedUntil = pause.until;
      const { known, wanted } = history ?? {};
      const until = new Date(pause.until).toISOString();
      log.info({ until, why: pause.why, known, wanted }, "history pauses");
    }
    const clock = new Date(pause?.until ?? 0).toTimeString().slice(0, "10:42".length);
    const why = pause?.why === "quota" ? "quota used up" : pause?.why.replaceAll("_", " ");
    const note = pause && leftMs >= SHOWN_FROM_MS ? `, waiting until ${clock}: ${why}` : "";
    show?.(history && { known: history.known, wanted: history.wanted, note });
  };
}
