/** Rate limiters with one deliberate defect each. The property test must detect every one of them. */
import { consumerRateLimits } from "../../../src/core/fetching/rate-limit.ts";
import type { AttemptLog, RateLimitSource } from "../../../src/service/client/rate-limiter.ts";
import type { Mutant } from "./rate-limiter-model.ts";

function withWindow(name: "minute" | "day", lengthMs: number): Mutant {
  return {
    source: (source) => ({
      learn: (notes, now) => source.learn(notes, now),
      budget: (now) => source.budget(now).map((window) => (window.name === name ? { ...window, lengthMs } : window)),
    }),
  };
}

/** Records a request only after it has ended. */
function writtenLate(requestLog: AttemptLog): AttemptLog {
  const waiting = new Map<number, () => number | null>();
  let next = 1_000_000;
  return {
    recent: (account, count) => requestLog.recent(account, count),
    spend(spend) {
      waiting.set(++next, () => requestLog.spend(spend));
      return next;
    },
    settle(id, ...rest) {
      const written = waiting.get(id)?.();
      waiting.delete(id);
      if (written != null) requestLog.settle(written, ...rest);
    },
  };
}

/** Uses every limit from the service immediately. */
function eager(source: RateLimitSource, memory: { write(name: string, value: string): void }): RateLimitSource {
  let limits: { minute: number; day: number } | null = null;
  return {
    budget: (now) => (limits ? consumerRateLimits(limits, 1) : source.budget(now)),
    learn({ quota: { minute, day } }) {
      if (!minute || !day) return;
      limits = { minute: minute.limit, day: day.limit };
      memory.write(
        "limits/a",
        JSON.stringify({ minute: { limit: minute.limit, raise: null }, day: { limit: day.limit, raise: null } }),
      );
    },
  };
}

export const mutants: Readonly<Record<string, Mutant>> = {
  "a minute of 60 s": withWindow("minute", 60_000),
  "a day of 24 h": withWindow("day", 86_400_000),
  "attempts forgotten at a restart": { requestLog: (requestLog) => unkept(requestLog) },
  "spends written down after the request": { requestLog: writtenLate },
  "a higher limit used at once": { source: eager },
  "what is left ignored": {
    notes: (notes) => {
      const { minute, day } = notes.quota;
      if (!minute || !day) return notes;
      const quota = { minute: { ...minute, remaining: minute.limit }, day: { ...day, remaining: day.limit } };
      return { ...notes, quota };
    },
  },
  "the wall clock trusted": { clock: (clock) => ({ ...clock, monotonicMs: () => clock.now() }) },
};

function unkept(requestLog: AttemptLog): AttemptLog {
  return {
    spend: (spend) => requestLog.spend(spend),
    settle: (...settled) => requestLog.settle(...settled),
    recent: () => [],
  };
}
