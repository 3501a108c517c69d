import type { Problem } from "../../../src/core/status/problem.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { Account } from "../../../src/service/client/account.ts";
import { CircuitBreaker } from "../../../src/service/client/circuit-breaker.ts";
import { createClient } from "../../../src/service/client/client.ts";
import type { HttpAnswer } from "../../../src/service/client/http-transport.ts";
import { UnsentError } from "../../../src/service/client/network-errors.ts";
import { Outage } from "../../../src/service/client/outage.ts";
import { RateLimiter } from "../../../src/service/client/rate-limiter.ts";
import { LearnedRateLimits } from "../../../src/service/client/rate-limits.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { answers } from "../../fixtures/answers.ts";
import { ManualMachine } from "../clock/manual-machine.ts";
import { CANARY_KEY } from "./asking-client.ts";

export const HOME = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/** Request that reached the service and waits for the test's response. */
interface Waiting {
  readonly path: string;
  readonly answer: (status: number, body: unknown, headers?: Readonly<Record<string, string>>) => void;
  /** Ends it without a response; the service may have counted it. */
  readonly lose: (why: string) => void;
  /** Ends it before a byte of it was sent. */
  readonly refuse: () => void;
}

/** Account whose service is the test: the test sees each request and decides when and how to respond. */
export class AskedAccount extends ManualMachine {
  readonly arrived: Waiting[] = [];
  /** Problems that were reported to the owner. */
  readonly problemChanges: { readonly state: "started" | "ended"; readonly problem: Problem }[] = [];
  readonly spent: string[] = [];
  readonly stop = new AbortController();
  readonly requestLog = new RequestLog(openDatabase(":memory:"));
  account: Account;

  readonly problems = new Problems((problem, state) => this.problemChanges.push({ state, problem }));

  readonly #clientAccount: string;

  /** `clientAccount`: the account whose permits the client takes. */
  constructor(clientAccount = "consumer") {
    super();
    this.#clientAccount = clientAccount;
    this.account = this.#openAccount();
  }

  /** Opens the account again, as after a restart of the process. */
  restart(): void {
    this.account = this.#openAccount();
  }

  #openAccount(): Account {
    const { clock, memory, requestLog } = this;
    const name = "consumer";
    return new Account({
      name,
      client: createClient({
        account: this.#clientAccount,
        get: (path, _headers, signal) => this.#arrive(path, signal),
        basePath: "",
        userAgent: "elbro/0",
        authorization: { consumer: `Bearer ${CANARY_KEY}`, thirdParty: "Bearer partner" },
        secrets: [CANARY_KEY],
      }),
      rateLimiter: new RateLimiter({
        ...{ account: name, requestLog, memory, clock },
        source: new LearnedRateLimits(name, memory, () => 1),
      }),
      circuitBreaker: new CircuitBreaker({ account: name, memory, clock, random: () => 0, keyMark: "key" }),
      clock,
      problems: this.problems,
      outage: new Outage(this.problems),
      signal: this.stop.signal,
      onServerTime: () => undefined,
      onSpent: (operation, outcome) => this.spent.push(`${operation} ${outcome}`),
    });
  }

  /** Answers the newest request, which is `asked`. */
  answered<T extends Promise<unknown>>(asked: T, ...answer: Parameters<Waiting["answer"]>): T {
    this.arrived.at(-1)?.answer(...answer);
    return asked;
  }

  /** Sends a first response with high limits, which ends the careful quota before it. */
  async open(): Promise<void> {
    const asked = this.account.ask({ operation: "addresses", params: {}, share: "poll", seriesId: null, range: null });
    this.arrived.shift()?.answer(200, answers.addresses);
    await asked;
    this.spent.length = 0;
  }

  #arrive(path: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    signal.addEventListener("abort", () => reject(new Error("the request was cancelled")));
    this.arrived.push({
      path,
      lose: (why) => reject(new Error(why)),
      refuse: () => reject(new UnsentError("it refuses the connection")),
      answer: (status, body, headers = {}) => {
        const all: Readonly<Record<string, string>> = { ...this.#quotaHeaders(), ...headers };
        resolve({ status, body: JSON.stringify(body), header: (name) => all[name] });
      },
    });
    return promise;
  }

  #quotaHeaders(): Record<string, string> {
    const reset = (lengthMs: number) => String((Math.floor(this.wallMs / lengthMs) + 1) * (lengthMs / 1_000));
    const of = (window: string, limit: number, lengthMs: number) => ({
      [`x-ratelimit-limit-${window}`]: String(limit),
      [`x-ratelimit-remaining-${window}`]: String(limit - 1),
      [`x-ratelimit-reset-${window}`]: reset(lengthMs),
    });
    const named = { date: new Date(this.wallMs).toUTCString(), "x-request-id": `id-${this.spent.length}` };
    return { ...named, ...of("minute", 60, 60_000), ...of("day", 2_000, 86_400_000) };
  }
}
