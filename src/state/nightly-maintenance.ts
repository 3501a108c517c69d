/** Daily maintenance of the database, at night: deletes old history, then makes and verifies a copy. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { message } from "../core/language/text.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { Problems } from "../core/status/problem.ts";
import { errorMessage } from "../core/text/error-words.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { type EpochMs, formatInstant, MINUTE_MS } from "../core/time/interval.ts";
import { nextSlot } from "../core/time/schedule-slots.ts";
import type { Storage } from "../storage/open-storage.ts";
import { copyDatabase } from "../storage/recovery/backup.ts";
import type { Recovery } from "../storage/recovery/recovery.ts";
import { deleteOld } from "../storage/retention.ts";
import type { SeriesRepository } from "./series-repository.ts";

export interface NightlyMaintenanceDeps extends Pick<Storage, "database" | "databasePath" | "settings" | "writing"> {
  readonly repository: SeriesRepository;
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly problems: Problems;
  readonly years: number;
  readonly offsetMs: number;
  readonly log: { info(facts: object, text: string): void };
}

/** 03:40 local time: it exists on every day, and few clients send requests then. */
const MINUTE_OF_DAY = 220;
/** Delay of an overdue copy after the start, until the daemon has published the stored state. */
const AFTER_START_MS = 10 * MINUTE_MS;
const RETRY_MS = 50 * MINUTE_MS;
const DONE_AT = "upkeep_at_ms";
const SUBJECT = "database";
/** Subject of the problem for damaged values that were found one by one. It ends with the next verified copy. */
export const DAMAGED_VALUES = "stored values";

export class NightlyMaintenance {
  readonly #deps: NightlyMaintenanceDeps;
  /** When a failed copy is tried again; null if none has failed. */
  #retryAt: EpochMs | null = null;
  #copying: Promise<string | null> | null = null;

  constructor(deps: NightlyMaintenanceDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (;;) {
      const due = this.#nextAt(clock.now());
      await clock.sleepUntil(due, signal);
      if (signal.aborted) return;
      // A clock that was set back ends a sleep early.
      if (clock.now() >= due) await this.#once(signal);
    }
  }

  #nextAt(now: EpochMs): EpochMs {
    const done = Number(this.#deps.settings.read(DONE_AT) ?? Number.NaN);
    // A time in the future was written while the clock was wrong.
    if (Number.isNaN(done) || done > now) return now + AFTER_START_MS;
    const due = this.#retryAt ?? nextSlot(this.#deps, done, [MINUTE_OF_DAY]);
    return due > now ? due : now + AFTER_START_MS;
  }

  async #once(signal: AbortSignal): Promise<void> {
    const { repository, calendar, years, settings, writing, clock, log } = this.#deps;
    const deleting = deleteOld(
      { store: repository.store, requestLog: repository.requestLog, calendar },
      years,
      clock.now(),
    );
    for (;;) {
      const step = writing.attempt(() => deleting.next())?.value;
      if (!step) return; // the database cannot be written; it is due again in 10 min
      if (step.done) {
        if (step.value.chunks > 0) log.info(step.value, "history older than retention.years deleted");
        break;
      }
      await nextTurn();
      if (signal.aborted) return;
    }
    settings.write(DONE_AT, String(clock.now()));
    await this.copy(signal);
  }

  /** Makes the copy, or joins one that is being made. Returns the reason of a failure; null on success. */
  copy(signal: AbortSignal): Promise<string | null> {
    this.#copying ??= this.#copy(signal).finally(() => {
      this.#copying = null;
    });
    return this.#copying;
  }

  async #copy(signal: AbortSignal): Promise<string | null> {
    const { database, databasePath, problems, settings, clock, log } = this.#deps;
    const outcome = await copyDatabase(database, databasePath, { node: process.execPath, signal }).catch(errorMessage);
    const problem = { subject: SUBJECT, since: clock.now() };
    this.#retryAt = null;
    if (typeof outcome === "string") {
      this.#retryAt = clock.now() + RETRY_MS;
      // A restart tries again as well.
      settings.write(DONE_AT, "0");
      problems.start({ ...problem, code: "copy_failed", detail: outcome });
      return outcome;
    }
    switch (outcome.kind) {
      case "verified":
        log.info({ kilobytes: Math.round(outcome.bytes / 1_000) }, "database copied and checked");
        for (const subject of [SUBJECT, DAMAGED_VALUES]) problems.end(subject);
        return null;
      case "damaged":
        problems.start({ ...problem, code: "database_damaged", detail: outcome.damage });
        return `the database is damaged: ${outcome.damage}`;
      case "stopped":
        return "the daemon was stopped";
    }
  }
}

/** Reports that the database was replaced. The problem ends with the next verified copy. */
export function reportRecovery(recovery: Recovery, problems: Problems, now: EpochMs): void {
  const { damage, setAside, copiedAt } = recovery;
  const kept = setAside === null ? message("found.nothing_left") : message("found.set_aside", { file: setAside });
  const instead =
    copiedAt === null ? message("found.no_copy") : message("found.copy", { time: formatInstant(copiedAt) });
  const detail = message("found.restored", { damage, kept, instead });
  problems.start({ code: "database_restored", subject: SUBJECT, since: now, detail });
}
