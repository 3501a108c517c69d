import fc from "fast-check";
import { expect, test } from "vitest";
import { rounded } from "../../../../src/core/text/rounding.ts";
import { wire } from "../../../../src/core/text/wire.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");

test("names have underscores, instants are formatted and figures rounded, at every depth and in their order", () => {
  const written = wire({
    percentile30Days: -0,
    nextStart: NOON,
    nextEnd: null,
    startedAt: NOON + 1,
    againstWindowStart: 0.1 + 0.2,
    month_before: "2026-02",
    runs: [{ start: NOON, until: "07:00", begun: true, perKwh: { mean: 1e-9 } }],
    missing: undefined,
  });
  expect(JSON.stringify(written)).toBe(
    '{"percentile_30_days":0,"next_start":"2026-03-10T12:00:00Z","next_end":null,"started_at":"2026-03-10T12:00:00.001Z",' +
      '"against_window_start":0.3,"month_before":"2026-02",' +
      '"runs":[{"start":"2026-03-10T12:00:00Z","until":"07:00","begun":true,"per_kwh":{"mean":0}}]}',
  );
  // The types say the same.
  written.percentile_30_days satisfies number;
  written.next_start satisfies string;
  written.runs[0]?.per_kwh.mean satisfies number | undefined;
  written.against_window_start satisfies number;
});

test("a figure is rounded to six decimals, as its text would be", () => {
  const figure = fc.oneof(
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    fc.integer().map((whole) => whole / 2e6),
  );
  fc.assert(
    fc.property(figure, (value) => {
      expect(rounded(value)).toBe(Number(value.toFixed(6)) + 0);
    }),
  );
});
