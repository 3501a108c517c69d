/** A mutant that changes nothing that a test could see, by its line and its change as the program prints them. */
interface Equivalent {
  readonly file: string;
  readonly line: string;
  readonly change: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    file: "src/service/client/shared-quota.ts",
    line: "...{ used: Number.POSITIVE_INFINITY, resetSec: 0, others: true, oursSince: now },",
    change: "0 → 1",
    reason: "The reset time of a quota of an earlier process is never read.",
  },
  {
    file: "src/service/client/shared-quota.ts",
    line: "this.#prune(report.now);",
    change: "this.#prune(report.now); → ;",
    reason: "Only bounds the memory: what it removes is too old to count.",
  },
  {
    file: "src/core/fetching/retry-policy.ts",
    line: "return Math.min(longestMs, firstMs * 2 ** Math.min(streak, 16));",
    change: "16 → 32",
    reason: "The longest wait is reached before.",
  },
  {
    file: "src/core/planning/solver/runs-bound.ts",
    line: "const furthest = 2 * (Math.max(0, -low, high) + 1) * line.costs.length;",
    change: "2 → 3",
    reason: "The search only needs a limit that is far enough.",
  },
  {
    file: "src/core/planning/solver/runs-bound.ts",
    line: "let stride = 1 + Math.round(spread * FIRST_STRIDE);",
    change: "* → /",
    reason: "The first step of a search: the result is the same, after more rounds.",
  },
  {
    file: "src/core/time/schedule-slots.ts",
    line: 'if (day > after + 2 * DAY_MS) throw new RangeError("a fetch schedule without times");',
    change: "> → >=",
    reason: "An empty schedule is reported a day later or earlier.",
  },
  {
    file: "src/state/open-state.ts",
    line: "const offsetMs = kept >= 0 && kept <= MAX_OFFSET_MS ? kept : 0;",
    change: "<= → <",
    reason: "The stored offset is always below the maximum.",
  },
];
