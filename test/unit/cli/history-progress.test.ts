import { expect, test } from "vitest";
import { historyProgress } from "../../../src/cli/history-progress.ts";
import type { BackfillPause } from "../../../src/core/status/daemon-status.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";

function watched() {
  const logged: [string, object][] = [];
  const shown: (string | null)[] = [];
  let now = Date.UTC(2026, 10, 23, 9);
  const tell = historyProgress({
    now: () => now,
    log: { info: (facts, text) => logged.push([text, facts]) },
    show: (done) => shown.push(done?.note ?? null),
  });
  const see = (why: BackfillPause["why"], forMs: number) =>
    tell({ known: 50, wanted: 200, pause: { until: now + forMs, why } });
  return { tell, see, logged, shown, pass: (ms: number) => (now += ms) };
}

test("a long pause is printed once, with its reason and its end", () => {
  const { see, logged, pass } = watched();
  see("quota", 3 * HOUR_MS);
  pass(MINUTE_MS);
  see("quota", 3 * HOUR_MS);
  expect(logged).toEqual([
    ["history pauses", { until: "2026-11-23T12:00:00.000Z", why: "quota", known: 50, wanted: 200 }],
  ]);
  pass(3 * HOUR_MS);
  see("rate_limited", HOUR_MS);
  expect(logged).toHaveLength(2);
});

test("on a terminal the reason of any pause follows the numbers", () => {
  const { tell, see, logged, shown } = watched();
  see("quota", 40_000);
  see("service_trouble", 10 * MINUTE_MS);
  tell({ known: 60, wanted: 200, pause: null });
  tell(null);
  expect(shown).toEqual([
    expect.stringMatching(/^, waiting until \d\d:\d\d: quota used up$/),
    expect.stringMatching(/^, waiting until \d\d:\d\d: service trouble$/),
    "",
    null,
  ]);
  expect(logged).toHaveLength(1);
});
