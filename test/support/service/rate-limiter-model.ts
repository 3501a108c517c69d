/**
 * Models the rate limiter with faults: processes die, machines reboot and sleep, the wall clock jumps, requests and
 * responses are late or lost. The model has the real time; the rate limiter sees only its own clocks.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Share } from "../../../src/core/fetching/rate-limit.ts";
import type { AnswerNotes } from "../../../src/service/client/answer-notes.ts";
import { type Permit, RateLimiter, type RateLimiterClock } from "../../../src/service/client/rate-limiter.ts";
import { LearnedRateLimits } from "../../../src/service/client/rate-limits.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { TestMemory } from "../storage/test-memory.ts";
import type { StrictService } from "./strict-service.ts";

/** Duration and result of one request. Unit: ms; `upMs + downMs` is at most the request's timeout. */
export interface Passage {
  readonly upMs: number;
  readonly downMs: number;
  /**
   * `bare`: response without the service's headers. `lost`: counted, but no response. `unsent`: did not reach the
   * service, which the daemon does not know. `givenBack`: not sent, which it knows.
   */
  readonly fate: "answered" | "bare" | "lost" | "unsent" | "givenBack";
}

/** Hard timeout of a request, `REQUEST_TIMEOUT_MS` in src/service/client/http-transport.ts. */
export const TIMEOUT_MS = 30_000;
const MAX_WAIT_MS = 26 * 3_600_000;

/** Time of the model, which several installations share. */
export class Timeline {
  now: number;
  #events: { readonly at: number; readonly happen: () => void }[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** Advances time to `at`, event by event. */
  advanceTo(at: number): void {
    for (;;) {
      const next = this.#events[0];
      if (!next || next.at > at) break;
      this.#events.shift();
      this.now = Math.max(this.now, next.at);
      next.happen();
    }
    this.now = Math.max(this.now, at);
  }

  at(at: number, happen: () => void): void {
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1]?.at ?? at) > at) place--;
    this.#events.splice(place, 0, { at, happen });
  }
}

export class RateLimiterModel {
  readonly service: StrictService;
  readonly #database: DatabaseSync;
  readonly #account: string;
  readonly #reserve: number;
  readonly #kept = new Map<string, string>();
  readonly #time: Timeline;
  #bootAt: number;
  #boots = 0;
  #wallOffsetMs = 0;
  /** Counter of crashes. Responses to an earlier process are ignored. */
  #process = 0;
  #rateLimiter: RateLimiter;
  /** Requests with a permit, oldest first. `latestAt`: when it may have been made by what the request log shows. */
  readonly spends: { readonly share: Share; readonly at: number; latestAt: number; isAnswered: boolean }[] = [];
  /** Number of the newest request whose response is stored, which happens with the next request; -1 without one. */
  #stored = -1;
  /** True after the first response with the service's headers. */
  heardFrom = false;

  /** `account` is the name of the installation; `reserve` is what it keeps of a day for prices. */
  constructor(options: {
    readonly database: DatabaseSync;
    readonly account: string;
    readonly service: StrictService;
    readonly time: Timeline;
    readonly reserve?: number;
  }) {
    this.#database = options.database;
    this.#account = options.account;
    this.#reserve = options.reserve ?? 0;
    this.#time = options.time;
    this.#bootAt = this.now - 5_000;
    this.service = options.service;
    this.#rateLimiter = this.#start();
  }

  get now(): number {
    return this.#time.now;
  }

  get monotonicMs(): number {
    return this.now - this.#bootAt;
  }

  earliest(share: Share): number {
    return this.#rateLimiter.earliest(share, this.#clock().monotonicMs());
  }

  advanceTo(at: number): void {
    this.#time.advanceTo(at);
  }

  advance(ms: number): void {
    this.advanceTo(this.now + ms);
  }

  /** Waits until the rate limiter would grant a permit to this share. */
  advanceUntilAllowed(share: Share, extraMs: number): void {
    const waitMs = this.earliest(share) - this.#clock().monotonicMs();
    this.advance(Math.min(MAX_WAIT_MS, Math.max(0, Math.ceil(waitMs))) + extraMs);
  }

  /** Acquires a permit and sends the request. Returns true if the permit was granted. */
  attempt(share: Share, passage: Passage): boolean {
    const verdict = this.#rateLimiter.acquire(share, null, null);
    if (verdict.kind === "wait") return false;
    this.#spend(share);
    this.#send(verdict.permit, share, passage);
    return true;
  }

  /** Kills the process after the attempt was committed and before the request was sent. */
  attemptAndDie(share: Share): void {
    const verdict = this.#rateLimiter.acquire(share, null, null);
    if (verdict.kind === "go") this.#spend(share);
    this.crash(0);
  }

  #spend(share: Share): void {
    this.#stored = this.spends.findLastIndex(({ isAnswered }) => isAnswered);
    this.spends.push({ share, at: this.now, latestAt: this.now, isAnswered: false });
  }

  /** Kills and restarts the process. Requests in flight continue. */
  crash(downMs: number): void {
    this.#forget();
    this.advance(downMs);
    this.#rateLimiter = this.#start();
  }

  /** Reboots the machine, which starts a new monotonic clock. */
  reboot(downMs: number, bootMs: number): void {
    this.#forget();
    this.advance(downMs + bootMs);
    this.#bootAt = this.now - bootMs;
    for (const spend of this.spends.slice(this.#stored + 1)) spend.latestAt = Math.max(spend.latestAt, this.#bootAt);
    this.#boots++;
    this.#rateLimiter = this.#start();
  }

  /** Ends the process, which knows no response that is not stored. */
  #forget(): void {
    this.#process++;
    for (const spend of this.spends.slice(this.#stored + 1)) spend.isAnswered = false;
  }

  /** Suspends the machine: its monotonic clock stops. */
  suspend(ms: number): void {
    this.advance(TIMEOUT_MS + 1);
    this.#bootAt += ms;
    for (const spend of this.spends) if (!spend.isAnswered) spend.latestAt += ms;
    this.advance(ms);
  }

  setWall(at: number): void {
    this.#wallOffsetMs = at - this.now;
  }

  #start(): RateLimiter {
    const memory = new TestMemory(this.#kept);
    return new RateLimiter({
      account: this.#account,
      requestLog: new RequestLog(this.#database),
      memory,
      clock: this.#clock(),
      source: new LearnedRateLimits(
        this.#account,
        memory,
        () => 1,
        () => ({ count: this.#reserve, until: Number.POSITIVE_INFINITY }),
      ),
    });
  }

  #clock(): RateLimiterClock {
    return {
      boot: `boot ${this.#boots}`,
      now: () => this.now + this.#wallOffsetMs,
      monotonicMs: () => this.now - this.#bootAt,
    };
  }

  #send(leave: Permit, share: Share, { upMs, downMs, fate }: Passage): void {
    const spentAt = this.now;
    const spend = this.spends.at(-1);
    const process = this.#process;
    const mine = (act: () => void) => () => {
      if (process === this.#process) act();
    };
    if (fate === "givenBack") {
      leave.use(this.#account);
      this.#time.at(
        spentAt + downMs,
        mine(() => leave.giveBack()),
      );
      return;
    }
    if (fate === "unsent" || fate === "lost")
      this.#time.at(
        spentAt + Math.max(1, downMs),
        mine(() => leave.settle()),
      );
    if (fate === "unsent") return;
    this.#time.at(spentAt + upMs, () => {
      const committed = (since: number) => this.spends.filter(({ latestAt }) => latestAt > since).length;
      const answer = this.service.count({ by: this.#account, at: this.now, share, spentAt, committed });
      if (fate === "lost") return;
      const serverMs = Math.floor(this.now / 1_000) * 1_000;
      const hear = () => {
        if (fate === "answered") {
          answer.heard(this.now);
          this.heardFrom = true;
          if (spend) spend.isAnswered = true;
        }
        leave.note(this.#notesOf(fate === "answered" ? answer.quota : {}, fate === "answered" ? serverMs : null));
        leave.settle();
      };
      this.#time.at(this.now + downMs, mine(hear));
    });
  }

  #notesOf(quota: AnswerNotes["quota"], serverMs: number | null): AnswerNotes {
    return { status: 200, requestId: serverMs === null ? null : "0", quota, serverMs };
  }
}
