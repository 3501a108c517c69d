/**
 * Sends a message for each condition that holds and was not told yet. It looks once a minute and keeps no queue: what cannot
 * be sent now, for quiet hours or a server that is away, is sent later if it holds by then.
 */
import * as z from "zod/mini";
import { textIn } from "../../core/language/text.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import type { LoopHeartbeat } from "../../core/runtime/loop-heartbeat.ts";
import type { Problems } from "../../core/status/problem.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { Condition } from "./conditions.ts";
import type { Note, NotifyAccount, Published } from "./ntfy-client.ts";

export interface NotifyLoopDeps {
  readonly account: NotifyAccount;
  readonly conditions: (now: EpochMs) => readonly Condition[];
  readonly publish: (note: Note, signal: AbortSignal) => Promise<Published>;
  /** Whether the clock can be right: without it there are no quiet hours and no days. */
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly memory: KeyValue;
  readonly problems: Pick<Problems, "start" | "end">;
  readonly pulse: Pick<LoopHeartbeat, "turn" | "sleep">;
  readonly log: { info(facts: object, text: string): void };
  /** Where a tap leads. */
  readonly click?: string | undefined;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
}

const LOOK_EVERY_MS = MINUTE_MS;
/** What ends by itself sooner is no message: a plug that was unplugged for a moment. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** A condition that is back within this is the same: a plug at the edge of the Wi-Fi, a start. */
const FORGET_AFTER_MS = HOUR_MS;
const RETRY = { firstMs: MINUTE_MS, mostMs: 30 * MINUTE_MS };
/** A message that the server did not take so many times is given up: six hours. */
const MAX_TRIES = 16;
/** What a server refuses as wrong is tried again when its owner may have changed that. */
const RETRY_REFUSED_MS = 6 * HOUR_MS;
/** A server that is away for so long is a problem. */
const TOLERATED_MS = HOUR_MS;
/** Bound of what is remembered: the oldest is forgotten first. */
const MAX_TOLD = 300;
const MEMORY = "notified";
const SUBJECT = "notifications";

export class NotifyLoop {
  readonly #deps: NotifyLoopDeps;
  /** Times when notified conditions last held. Stored, so that a restart repeats no message. Bounded by MAX_TOLD. */
  #told: Map<string, EpochMs>;
  /** Since when a condition holds that was not told yet, and how often it was tried. Bounded by the conditions. */
  #waiting = new Map<string, { readonly since: EpochMs; readonly tries: number }>();
  #nextSendAt: EpochMs = Number.NEGATIVE_INFINITY;
  #failures: { readonly since: EpochMs; readonly count: number } | null = null;

  constructor(deps: NotifyLoopDeps) {
    this.#deps = deps;
    const now = deps.clock.now();
    const told = readJson(deps.memory, MEMORY, z.array(z.string())) ?? [];
    this.#told = new Map(told.map((id) => [id, now]));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, pulse } = this.#deps;
    while (!signal.aborted) {
      pulse.turn();
      await this.look(signal);
      const until = clock.now() + LOOK_EVERY_MS;
      pulse.sleep(until);
      await clock.sleepUntil(until, signal);
    }
  }

  /** Looks once: sends what is due. */
  async look(signal: AbortSignal): Promise<void> {
    const { account, clock, conditions, isTimeTrusted } = this.#deps;
    const now = clock.now();
    if (!isTimeTrusted(now)) return;
    const holding = conditions(now).filter(({ event }) => account.events.includes(event));
    this.#remember(holding, now);
    for (const condition of holding) {
      if (signal.aborted || this.#isQuiet(clock.now()) || clock.now() < this.#nextSendAt) return;
      const waiting = this.#waiting.get(condition.id);
      const patienceMs = condition.patience === "none" ? 0 : PATIENCE_MS;
      if (waiting && now - waiting.since >= patienceMs) await this.#send(condition, waiting.tries, signal);
    }
  }

  /** Notes what holds, and forgets what is over. */
  #remember(holding: readonly Condition[], now: EpochMs): void {
    const ids = new Set(holding.map(({ id }) => id));
    const before = this.#told.size;
    for (const [id, at] of this.#told) {
      if (ids.has(id)) this.#told.set(id, now);
      else if (now - at >= FORGET_AFTER_MS) this.#told.delete(id);
    }
    if (this.#told.size < before) this.#keep();
    this.#waiting = new Map(
      holding
        .filter(({ id }) => !this.#told.has(id))
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
      this.#tell(id, now);
      return;
    }
    const { since, count } = this.#failures ?? { since: now, count: 0 };
    this.#failures = { since, count: count + 1 };
    this.#waiting.set(id, { since: this.#waiting.get(id)?.since ?? now, tries: tries + 1 });
    if (published.kind === "refused" || now - since >= TOLERATED_MS)
      problems.start({ code: "notifications_failed", subject: SUBJECT, since: now, detail: published.why });
    if (published.kind === "refused") {
      this.#nextSendAt = now + RETRY_REFUSED_MS;
      return;
    }
    const backoffMs = Math.min(RETRY.firstMs * 2 ** count, RETRY.mostMs) * (0.5 + random() / 2);
    this.#nextSendAt = now + Math.max(backoffMs, (published.retryAfterSec ?? 0) * SECOND_MS);
    if (tries + 1 < MAX_TRIES) return;
    log.info({ event, id, why: textIn("en", published.why) }, "notification not sent; no further attempts");
    this.#tell(id, now);
  }

  #tell(id: string, now: EpochMs): void {
    this.#waiting.delete(id);
    this.#told.set(id, now);
    for (const oldest of [...this.#told.keys()].slice(0, -MAX_TOLD)) this.#told.delete(oldest);
    this.#keep();
  }

  #keep(): void {
    this.#deps.memory.write(MEMORY, JSON.stringify([...this.#told.keys()]));
  }

  /** Whether `now` is within the quiet hours, which may go over midnight. */
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
