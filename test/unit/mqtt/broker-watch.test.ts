import { expect, test } from "vitest";
import { Problems } from "../../../src/core/status/problem.ts";
import { MINUTE_MS, SECOND_MS } from "../../../src/core/time/interval.ts";
import { BrokerWatch } from "../../../src/mqtt/broker-watch.ts";

const START = Date.UTC(2026, 2, 10, 11);
const none = new Map<string, string>();

/** Watches a broker whose connections begin and end at the given times. Returns when the problem started and ended. */
function watched(events: readonly (readonly [ms: number, what: "up" | "down"])[], untilMs: number): string[] {
  let now = 0;
  const seen: string[] = [];
  const problems = new Problems((_, what) => seen.push(`${what} after ${Math.round(now / MINUTE_MS)} min`));
  const watch = new BrokerWatch(problems);
  let state: Parameters<BrokerWatch["check"]>[0] = {
    trouble: "closed",
    lastTrouble: null,
    connections: 0,
    refused: none,
  };
  let due = Number.POSITIVE_INFINITY;
  const check = () => {
    due = watch.check(state, START + now, now) - START;
  };
  for (const [at, what] of [...events, [untilMs, null] as const]) {
    for (; due < at; check()) now = due;
    now = at;
    if (what === "up") state = { ...state, trouble: null, connections: state.connections + 1 };
    if (what === "down") state = { ...state, trouble: "closed", lastTrouble: "closed" };
    // The daemon may notice only the connection that follows.
    if (what === "up") check();
  }
  return seen;
}

test("a connection that comes and goes is a problem after ten minutes, until it lasts a minute", () => {
  const flapping = Array.from({ length: 40 }, (_, i) => [
    [i * 20 * SECOND_MS, "up"] as const,
    [i * 20 * SECOND_MS + SECOND_MS, "down"] as const,
  ]).flat();
  expect(watched([...flapping, [800 * SECOND_MS, "up"]], 70 * MINUTE_MS)[0]).toBe("started after 2 min");
});

test("six connections that end within an hour are a problem, until fewer have ended", () => {
  const drops = Array.from({ length: 7 }, (_, i) => [
    [i * 5 * MINUTE_MS, "up"] as const,
    [i * 5 * MINUTE_MS + 4 * MINUTE_MS, "down"] as const,
  ]).flat();
  expect(watched([...drops.slice(0, -1)], 120 * MINUTE_MS)).toEqual(["started after 30 min", "ended after 65 min"]);
});

test("one restart of the broker is not a problem", () => {
  expect(
    watched(
      [
        [0, "up"],
        [30 * MINUTE_MS, "down"],
        [31 * MINUTE_MS, "up"],
      ],
      120 * MINUTE_MS,
    ),
  ).toEqual([]);
});

test("a refused topic is a problem until it is accepted, and at most five are", () => {
  const problems = new Problems(() => undefined);
  const watch = new BrokerWatch(problems);
  const check = (topics: readonly string[]) => {
    const refused = new Map(topics.map((topic) => [topic, "no right"]));
    watch.check({ trouble: null, lastTrouble: null, connections: 1, refused }, START, 0);
    return problems.list().map(({ code, subject }) => `${code}: ${subject}`);
  };
  expect(check(["a"])).toEqual(["topics_refused: mqtt topic a"]);
  expect(check(["a", "b", "c", "d", "e", "f"])).toHaveLength(5);
  expect(check([])).toEqual([]);
});
