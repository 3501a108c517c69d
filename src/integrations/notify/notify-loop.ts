/**
 * Sends a message for each condition that holds and was not sent yet. Checks once a minute and keeps no queue: a message
 * that cannot be sent now, because of quiet hours or an unreachable server, is sent later if the condition still holds.
 */
import * as z from "zod/mini";
import { message, textIn } from "../../core/language/text.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { runLoop } from "../../core/runtime/run-loop.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { type EpochMs, formatInstant, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { IntegrationDeps } from "../integration-deps.ts";
import type { Condition } from "./conditions.ts";
import type { Note, Published } from "./note.ts";
import type { NotifyAccount } from "./publish.ts";

export interface NotifyLoopDeps extends IntegrationDeps {
  readonly account: NotifyAccount;
  readonly conditions: (now: EpochMs) => Promise<readonly Condition[]>;
  readonly publish: (note: Note, signal: AbortSignal) => Promise<Published>;
  /** Returns whether the clock can be right. Quiet hours and days depend on it. */
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  readonly calendar: Calendar;
  readonly memory: KeyValue;
  /** URL that a tap on the notification opens. */
  readonly click?: string | undefined;
}

const CHECK_EVERY_MS = MINUTE_MS;
/** Minimum duration of a condition, such as a plug that does not respond. Shorter ones cause no message. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** A condition that returns within this time is the same one: a plug with weak Wi-Fi, or a restart. */
const FORGET_AFTER_MS = HOUR_MS;
const RETRY = { firstMs: MINUTE_MS, mostMs: 30 * MINUTE_MS };
/** Maximum attempts to send a message, within about six hours. */
const MAX_TRIES = 16;
/** Delay after the server refused a message. The owner may change the configuration within this time. */
const RETRY_REFUSED_MS = 6 * HOUR_MS;
/** Maximum time from the first failure to the next attempt that is not reported as a problem. */
const TOLERATED_MS = 10 * MINUTE_MS;
/** Maximum number of remembered conditions; the oldest is forgotten first. */
const MAX_NOTIFIED = 300;
const MEMORY = "notified";
const SUBJECT = "notifications";

export class NotifyLoop {
  readonly #deps: NotifyLoopDeps;
  /** Times when notified conditions last held. Stored, so that a restart repeats no message. Bounded by MAX_TOLD. */
  #notified: Map<string, EpochMs>;
  /** Conditions that were not sent yet: time since they hold, and attempts. Bounded by the conditions. */
  #waiting = new Map<string, { readonly since: EpochMs; readonly tries: number }>();
  #nextSendAt: EpochMs = Number.NEGATIVE_INFINITY;
  #failures: { readonly since: EpochMs; readonly count: number } | null = null;

  constructor(deps: NotifyLoopDeps) {
    this.#deps = deps;
    const now = deps.clock.now();
    const notified = readJson(deps.memory, MEMORY, z.array(z.string())) ?? [];
    this.#notified = new Map(notified.map((id) => [id, now]));
  }

  async run(signal: AbortSignal): Promise<void> {
    await runLoop(this.#deps, signal, async () => {
      await this.check(signal);
      return this.#deps.clock.now() + CHECK_EVERY_MS;
    });
  }

  /** Sends the messages that are due now. */
  async check(signal: AbortSignal): Promise<void> {
    const { account, clock, conditions, isTimeTrusted } = this.#deps;
    const now = clock.now();
    if (!isTimeTrusted(now)) return;
    const holding = (await conditions(now)).filter(({ event }) => account.events.includes(event));
    this.#remember(holding, now);
    for (const condition of holding) {
      if (signal.aborted || this.#isQuiet(clock.now()) || clock.now() < this.#nextSendAt) return;
      const waiting = this.#waiting.get(condition.id);
      const patienceMs = condition.patience === "none" ? 0 : PATIENCE_MS;
      if (waiting && now - waiting.since >= patienceMs) await this.#send(condition, waiting.tries, signal);
    }
  }

  /** Records conditions that hold, and forgets those that ended. */
  #remember(holding: readonly Condition[], now: EpochMs): void {
    const ids = new Set(holding.map(({ id }) => id));
    const before = this.#notified.size;
    for (const [id, at] of this.#notified) {
      if (ids.has(id)) this.#notified.set(id, now);
      else if (now - at >= FORGET_AFTER_MS) this.#notified.delete(id);
    }
    if (this.#notified.size < before) this.#keep();
    this.#waiting = new Map(
      holding
        .filter(({ id }) => !this.#notified.has(id))
        .map(({ id }) => [id, this.#waiting.get(id) ?? { since: now, tries: 0 }]),
    );
  }

  async #send({ id, event, note }: Condition, tries: number, signal: AbortSignal): Promise<void> {
    const { publish, click, clock, problems, log, random } = this.#deps;
    const published = await publish({ ...note, click }, signal);
    if (signal.aborted) return;
    const now = clock.now();
    if (published.kind === "sent") {
      this.#failures = null;
      problems.end(SUBJECT);
      log.info({ event, id }, "notification sent");
      this.#markNotified(id, now);
      return;
    }
    const { since, count } = this.#failures ?? { since: now, count: 0 };
    this.#failures = { since, count: count + 1 };
    this.#waiting.set(id, { since: this.#waiting.get(id)?.since ?? now, tries: tries + 1 });
    const backoffMs = Math.min(RETRY.firstMs * 2 ** count, RETRY.mostMs) * (0.5 + random() / 2);
    const waitMs =
      published.kind === "refused" ? RETRY_REFUSED_MS : Math.max(backoffMs, (published.retryAfterSec ?? 0) * SECOND_MS);
    this.#nextSendAt = now + waitMs;
    if (this.#nextSendAt - since > TOLERATED_MS) {
      const detail = message("found.paused", { what: published.why, until: formatInstant(this.#nextSendAt) });
      problems.start({ code: "notifications_failed", subject: SUBJECT, since: now, detail });
    }
    if (published.kind === "refused" || tries + 1 < MAX_TRIES) return;
    log.info({ event, id, why: textIn("en", published.why) }, "notification not sent; no further attempts");
    this.#markNotified(id, now);
  }

  #markNotified(id: string, now: EpochMs): void {
    this.#waiting.delete(id);
    this.#notified.set(id, now);
    for (const oldest of [...this.#notified.keys()].slice(0, -MAX_NOTIFIED)) this.#notified.delete(oldest);
    this.#keep();
  }

  #keep(): void {
    this.#deps.memory.write(MEMORY, JSON.stringify([...this.#notified.keys()]));
  }

  /** Returns whether `now` is within the quiet hours, which may cross midnight. */
  #isQuiet(now: EpochMs): boolean {
    const { account, calendar } = this.#deps;
    const [from = 0, until = 0] = account.quiet_hours?.split("-").map(minuteOf) ?? [];
    if (from === until) return false;
    const minute = calendar.minuteOfDay(now);
    return from <= until ? from <= minute && minute < until : from <= minute || minute < until;
  }
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
