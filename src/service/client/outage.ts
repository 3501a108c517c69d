/**
 * Combines failures of the service into one problem. An outage affects every series of every account, but the owner
 * sees one problem. Its subject is the first failure; it ends when no failure with that subject remains.
 */
import { message, type Text } from "../../core/language/text.ts";
import type { Problems } from "../../core/status/problem.ts";
import type { ServiceProblemCode } from "../../core/status/problem-catalog.ts";
import { DAY_MS, type EpochMs } from "../../core/time/interval.ts";

export interface Trouble {
  readonly account: string;
  readonly code: ServiceProblemCode;
  readonly since: EpochMs;
  readonly detail: Text;
  readonly requestId: string | null;
  /** Affected series; null if the whole account is affected. */
  readonly series: string | null;
  /** True for a LAN client's request, which may never be repeated: any response of the account ends the trouble. */
  readonly isGuests: boolean;
}

/** Troubles without a new failure for this long are dropped. The longest pause after a failure is 1 h. */
const MAX_AGE_MS = DAY_MS;

export class Outage {
  readonly #problems: Problems;
  /** Keyed by account and series, oldest first. Bounded by the polled series, plus one per account for LAN clients. */
  readonly #troubles = new Map<string, Trouble>();
  /** Subject of the current problem; null without one. */
  #subject: string | null = null;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  start(trouble: Trouble): void {
    const { account, series, isGuests, code, since, detail, requestId } = trouble;
    this.#troubles.set(isGuests && series !== null ? `${account} lan` : (series ?? account), trouble);
    if (this.#subject !== null) return;
    this.#subject = subjectOf(trouble);
    const found = series === null ? detail : message("found.in_series", { series, what: detail });
    this.#problems.start({ code, since, requestId, subject: this.#subject, detail: found });
  }

  /** Records a response of an account. `scopes` lists the series, places and accounts that work again. */
  answered(account: string, scopes: readonly string[], now: EpochMs): void {
    for (const [scope, trouble] of this.#troubles) {
      const isReached = trouble.code === "unreachable" || (trouble.account === account && trouble.isGuests);
      if (isReached || scopes.includes(scope) || now - trouble.since > MAX_AGE_MS) this.#troubles.delete(scope);
    }
    this.#showLasting();
  }

  forget(account: string): void {
    for (const [scope, trouble] of this.#troubles) if (trouble.account === account) this.#troubles.delete(scope);
    this.#showLasting();
  }

  #showLasting(): void {
    const lasting = [...this.#troubles.values()];
    if (this.#subject === null || lasting.some((trouble) => subjectOf(trouble) === this.#subject)) return;
    this.#problems.end(this.#subject);
    this.#subject = null;
    const [next] = lasting;
    if (next) this.start(next);
  }

  /** Returns the trouble of a whole account; null if it has none. */
  codeOf(account: string): ServiceProblemCode | null {
    return this.#troubles.get(account)?.code ?? null;
  }
}

function subjectOf({ account, series }: Trouble): string {
  return series === null ? account : `${account} data`;
}
