import { describe, expect, test } from "vitest";
import type { Problem } from "../../../src/core/status/problem.ts";
import { ProblemHistory } from "../../../src/core/status/problem-history.ts";
import { Counter } from "../../../src/core/text/counter.ts";

describe("Counter", () => {
  test("Counter counts equal labels together", () => {
    const tally = new Counter();
    tally.add("kitchen", "200");
    tally.add("kitchen", "429");
    tally.add("kitchen", "200");
    expect(tally.list()).toEqual([
      { labels: ["kitchen", "200"], count: 2 },
      { labels: ["kitchen", "429"], count: 1 },
    ]);
  });

  test("Counter distinguishes 20,000 sets of labels and counts the rest together", () => {
    const tally = new Counter();
    for (let i = 0; i < 20_200; i++) tally.add("guest", String(i));
    tally.add("guest", "3");
    const list = tally.list();
    expect(list).toHaveLength(20_001);
    expect(list.at(-1)).toEqual({ labels: ["other", "other"], count: 200 });
    expect(list[3]).toEqual({ labels: ["guest", "3"], count: 2 });
  });
});

describe("ProblemHistory", () => {
  const problem = (subject: string): Problem => ({
    ...{ code: "unreachable", subject, since: 1, advice: "do this", detail: "that", requestId: null },
  });

  test("ProblemHistory lists the newest problem first, and ended ones with their end", () => {
    const history = new ProblemHistory();
    history.note(problem("a"), "started", 1);
    history.note(problem("b"), "started", 2);
    history.note(problem("a"), "ended", 3);
    history.note(problem("a"), "started", 4);
    expect(history.list().map(({ subject, endedAt }) => [subject, endedAt])).toEqual([
      ["a", null],
      ["b", null],
      ["a", 3],
    ]);
    history.note(problem("a"), "ended", 5);
    expect(history.list().map(({ endedAt }) => endedAt)).toEqual([5, null, 3]);
  });

  test("ProblemHistory keeps the newest thirty", () => {
    const history = new ProblemHistory();
    for (let i = 0; i < 50; i++) history.note(problem(`s${i}`), "started", i);
    expect([history.list().length, history.list()[0]?.subject]).toEqual([30, "s49"]);
  });
});
