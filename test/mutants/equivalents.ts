/** A mutant that changes nothing that a test could see, by its line and its change as the program prints them. */
type Equivalent = { readonly file: string; readonly line: string; readonly change: string; readonly reason: string };

export const equivalents: readonly Equivalent[] = [
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
    file: "src/core/time/schedule-slots.ts",
    line: 'if (day > after + 2 * DAY_MS) throw new RangeError("a fetch schedule without times");',
    change: "> → >=",
    reason: "An empty schedule is reported a day later or earlier.",
  },
  {
    file: "src/state/open-state.ts",
    line: "const offsetMs = stored >= 0 && stored <= MAX_OFFSET_MS ? stored : 0;",
    change: "<= → <",
    reason: "The stored offset is always below the maximum.",
  },
  {
    file: "src/service/client/shared-quota.ts",
    line: "const lasting = [...this.#ceilings.values()].filter(({ until }) => until > now);",
    change: "> → >=",
    reason: "Only bounds the memory, as the line above.",
  },
  {
    file: "src/service/client/rate-limiter.ts",
    line: 'const known = budget.find(({ name }) => name === "day")?.limit ?? 0;',
    change: "0 → 1",
    reason: "Every budget has a limit of the day.",
  },
  {
    file: "src/core/planning/solver/slots.ts",
    line: "return task.grid.past.usedMs > 0 && on < minRun ? chooseSlots(task, minRun) : null;",
    change: "< → <=",
    reason: "The same search with as many steps has just failed.",
  },
  {
    file: "src/core/planning/group/place-group.ts",
    line: "if (missingIn(places) !== missingIn(than)) return missingIn(places) < missingIn(than);",
    change: "< → <=",
    reason: "The two numbers differ.",
  },
  {
    file: "src/core/time/schedule-slots.ts",
    line: "const FORECAST: Slots = everyMinutes(180, 20, 24 * 60 - 1).filter((minute) => minute !== 200);",
    change: "24 → 48",
    reason: "The times of a second day are those of the next day.",
  },
  {
    file: "src/storage/series/series-store.ts",
    line: "if (within.start >= within.end) return null;",
    change: ">= → >",
    reason: "An empty range has no days.",
  },
  {
    file: "src/storage/database.ts",
    line: "if (found > 0 && found < versionOf(database)) options.whenUpgraded?.(found);",
    change: "0 → 1",
    reason: "The first version is 5.",
  },
  {
    file: "src/state/accounts/accounts.ts",
    line: "all.delete(account);",
    change: "all.delete(account); → ;",
    reason: "Only releases memory.",
  },
  {
    file: "src/state/clock-guard.ts",
    line: 'return message(now > serviceNow ? "found.clock_ahead" : "found.clock_behind", {',
    change: "> → >=",
    reason: "The two times differ by more than two minutes.",
  },
  {
    file: "src/state/series-repository.ts",
    line: "return this.#revisions.get(account) ?? 0;",
    change: "0 → 1",
    reason: "Revisions are only compared.",
  },
  {
    file: "src/core/prices/timeline.ts",
    line: "return length > 0 ? sum / length : null;",
    change: "0 → 1",
    reason: "No price is for a millisecond.",
  },
  {
    file: "src/storage/database.ts",
    line: 'if (!(error instanceof Error) || !("errcode" in error)) return error;',
    change: "|| → &&",
    reason: "An error without a code has the code 0, which is in no list, and is returned too.",
  },
  {
    file: "src/storage/request-log.ts",
    line: "const UNSENT = -1;",
    change: "1 → 2",
    reason: "Any number that no answer has.",
  },
  {
    file: "src/storage/series/chunk-table.ts",
    line: "const count = Number(this.#delete.run(MAX_SERIES, keyOf(0, before), most).changes);",
    change: "0 → 1",
    reason: "The ids of series start at 1.",
  },
  {
    file: "src/service/client/account.ts",
    line: "const MAX_FAILURES = 200;",
    change: "200 → 400",
    reason: "Only bounds the memory.",
  },
  {
    file: "src/core/text/foreign-text.ts",
    line: "faults: { length: MB, values: 40_000, heapBytes: 8 * MB },",
    change: "40_000 → 80000",
    reason: "The heap that they may need bounds the values too.",
  },
  {
    file: "src/core/text/json-size.ts",
    line: "this.#width = /[\\u0100-\\uffff]/.test(text) ? 2 : 1;",
    change: "1 → 2",
    reason:
      "Counts more memory than texts need. The longest text of a source that has only texts is within its budget too.",
  },
  {
    file: "src/http/listener.ts",
    line: "requestTimeout: 8_000,",
    change: "8_000 → 16000",
    reason: "A limit of Node itself: no test waits for seconds.",
  },
  {
    file: "src/http/listener.ts",
    line: "connectionsCheckingInterval: 1_000,",
    change: "1_000 → 2000",
    reason: "A limit of Node itself: no test waits for seconds.",
  },
  {
    file: "src/http/sse-hub.ts",
    line: "if (listener.out.writableLength > MAX_WAITING_BYTES) this.#drop(listener);",
    change: "> → >=",
    reason: "Only bounds the memory, by a byte more or less.",
  },
  {
    file: "src/http/sse-hub.ts",
    line: "if (waiting > 0 && waiting >= listener.waited && listener.waited > 0) this.#drop(listener);",
    change: "0 → 1",
    reason: "No event has a single byte.",
  },
  {
    file: "src/mqtt/broker/client-retained.ts",
    line: "if (after.count === 0) this.#ofUser.delete(user);",
    change: "after.count === 0 → false",
    reason: "Only releases memory.",
  },
];
