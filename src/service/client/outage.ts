/**
 * The trouble of the service as one problem. An outage meets every series of every account, and is one thing to its owner:
 * the problem of what met it first lasts until nothing of its kind is in trouble any more.
 */
import type { Problems } from "../../core/status/problem.ts";
import type { ServiceProblemCode } from "../../core/status/problem-catalog.ts";
import { DAY_MS, type EpochMs } from "../../core/time/interval.ts";

export interface Trouble {
  readonly account: string;
  readonly code: ServiceProblemCode;
  /** The newest failure. */
  readonly since: EpochMs;
  readonly detail: string;
  readonly requestId: string | null;
  /** The series, for a failure of less than the account; null if all of the account has it. */
  readonly series: string | null;
  /** Asked for the LAN: maybe nobody asks for it again, so any answer of the account ends it. */
  readonly isGuests: boolean;
}

/** What has not failed again for so long is not asked any more: the longest pause after a failure is an hour. */
const MAX_AGE_MS = DAY_MS;

export class Outage {
  readonly #problems: Problems;
  /** By account and series, oldest first. Bounded by the series that are polled: a guest's is one for each account. */
  readonly #troubles = new Map<string, Trouble>();
  /** Subject of the problem; null if there is none. */
  #shown: string | null = null;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  start(trouble: Trouble): void {
    const { account, series, isGuests, code, since, detail, requestId } = trouble;
    this.#troubles.set(isGuests && series !== null ? `${account} lan` : (series ?? account), trouble);
    if (this.#shown !== null) return;
    this.#shown = subjectOf(trouble);
    const found = series === null ? detail : `${series}: ${detail}`;
    this.#problems.start({ code, since, requestId, subject: this.#shown, detail: found });
  }

  /** Notes that an account was answered: as a whole by its name, and in series. */
  answered(account: string, scopes: readonly string[], now: EpochMs): void {
    for (const [scope, trouble] of this.#troubles) {
      const isReached = trouble.code === "unreachable" || (trouble.account === account && trouble.isGuests);
      if (isReached || scopes.includes(scope) || now - trouble.since > MAX_AGE_MS) this.#troubles.delete(scope);
    }
    this.#showLasting();
  }

  /** Forgets an account that there is no more. */
  forget(account: string): void {
    for (const [scope, trouble] of this.#troubles) if (trouble.account === account) this.#troubles.delete(scope);
    this.#showLasting();
  }

  #showLasting(): void {
    const lasting = [...this.#troubles.values()];
    if (this.#shown === null || lasting.some((trouble) => subjectOf(trouble) === this.#shown)) return;
    this.#problems.end(this.#shown);
    this.#shown = null;
    const [next] = lasting;
    if (next) this.start(next);
  }

  /** The trouble of all of an account; null if it has none. */
  codeOf(account: string): ServiceProblemCode | null {
    return this.#troubles.get(account)?.code ?? null;
  }
}

function subjectOf({ account, series }: Trouble): string {
  return series === null ? account : `${account} data`;
}
