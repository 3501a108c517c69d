import { describe, expect, test } from "vitest";
import { DAY_MS, type EpochMs, formatInstant } from "../../../../src/core/time/interval.ts";
import type { RangeCap } from "../../../../src/service/contract/limits.ts";
import { type OperationId, operationIds, operationOf } from "../../../../src/service/contract/operations.ts";
import { capEnd, latestEnd } from "../../../../src/service/contract/range.ts";
import { readRequest } from "../../../../src/service/contract/request.ts";
import { serviceCalendar } from "../../../../src/service/service-calendar.ts";
import { ADDRESS_ID } from "../../../fixtures/answers.ts";

const calendar = serviceCalendar();

/** All operations with a cap, with each value of their unit parameter. */
const capped = operationIds.flatMap((id) =>
  Object.entries(operationOf(id).range?.caps ?? {}).flatMap(([unit, cap]) =>
    cap ? [{ id, unit: unit as "hour" | "day" | "month" | "year" | "fifteenMinutes", cap }] : [],
  ),
);

/** Local midnights around clock changes, the end of the year and 29 February. */
const starts = [
  "2025-03-29T00:00:00+01:00",
  "2025-03-30T00:00:00+01:00",
  "2025-03-31T00:00:00+02:00",
  "2025-10-25T00:00:00+02:00",
  "2025-10-26T00:00:00+02:00",
  "2025-10-27T00:00:00+01:00",
  "2026-01-01T00:00:00+01:00",
  "2024-02-29T00:00:00+01:00",
  "2024-02-28T00:00:00+01:00",
  "2023-03-01T00:00:00+01:00",
].map((text) => Date.parse(text));

function ask(id: OperationId, unit: string, from: EpochMs, to: EpochMs) {
  const parameter = id === "prices" ? "resolution" : "aggregation";
  const query = new URLSearchParams({ from: formatInstant(from), to: formatInstant(to), [parameter]: unit });
  const reading = readRequest(id, { path: { addressId: ADDRESS_ID }, query }, calendar);
  return reading.kind === "error" ? reading.code : "fits";
}

describe.each(capped)("$id by $unit, at most $cap.count $cap.unit(s)", ({ id, unit, cap }) => {
  test.each(starts.map((at) => [formatInstant(at), at] as const))(
    "from %s: accepts the last unit, rejects one more",
    (_, at) => {
      const from = calendar.startOf(unit, at);
      const limit = latestEnd(from, cap, calendar);
      const to = calendar.startOf(unit, limit);
      expect(ask(id, unit, from, to)).toBe("fits");
      expect(ask(id, unit, from, calendar.add(unit, to, 1))).toBe("range_too_large");
    },
  );

  test("applies after expansion: rejects one second after the last unit, accepts one second before its end", () => {
    for (const at of starts) {
      const from = calendar.startOf(unit, at);
      const to = calendar.startOf(unit, latestEnd(from, cap, calendar));
      expect(ask(id, unit, from, to + 1_000)).toBe("range_too_large");
      expect(ask(id, unit, from, to - 1_000)).toBe("fits");
      expect(ask(id, unit, from - 1_000, to)).toBe(withRoomFor(unit, cap, from, to) ? "fits" : "range_too_large");
    }
  });
});

/**
 * Returns true if the cap, counted from one unit earlier, still includes `to`. Months and years do not fill 366 days.
 */
function withRoomFor(
  unit: "hour" | "day" | "month" | "year" | "fifteenMinutes",
  cap: RangeCap,
  from: EpochMs,
  to: EpochMs,
) {
  return to <= latestEnd(calendar.add(unit, from, -1), cap, calendar);
}

describe("the length of a cap", () => {
  const days366 = { unit: "day", count: 366 } as const;
  const days90 = { unit: "day", count: 90 } as const;
  const years5 = { unit: "year", count: 5 } as const;
  test.each([
    ["366 days from a plain year", "2026-01-01T00:00:00+01:00", days366, "2027-01-02T00:00:00+01:00"],
    ["366 days from a leap year", "2024-01-01T00:00:00+01:00", days366, "2025-01-01T00:00:00+01:00"],
    ["366 days that gain an hour", "2025-10-26T00:00:00+02:00", days366, "2026-10-27T00:00:00+01:00"],
    ["366 days that lose an hour", "2025-03-30T00:00:00+01:00", days366, "2026-03-31T00:00:00+02:00"],
    ["90 days across the spring", "2026-03-01T00:00:00+01:00", days90, "2026-05-30T00:00:00+02:00"],
    ["90 days across the autumn", "2026-10-01T00:00:00+02:00", days90, "2026-12-30T00:00:00+01:00"],
    ["90 days from within the repeated hour", "2026-10-25T02:15:00+01:00", days90, "2027-01-23T02:15:00+01:00"],
    ["90 days that end in the skipped hour", "2025-12-29T02:30:00+01:00", days90, "2026-03-29T03:00:00+02:00"],
    ["five years", "2021-07-01T00:00:00+02:00", years5, "2026-07-01T00:00:00+02:00"],
    ["five years from 29 February", "2024-02-29T00:00:00+01:00", years5, "2029-03-01T00:00:00+01:00"],
    ["five years to a leap year's March", "2023-03-01T00:00:00+01:00", years5, "2028-03-01T00:00:00+01:00"],
  ])("%s", (_name, from, cap, to) => {
    expect(capEnd(Date.parse(from), cap, calendar)).toBe(Date.parse(to));
  });

  test("the length of a cap accepts its number of days of 24 h across a clock change, and not an hour more", () => {
    const from = Date.parse("2026-03-01T00:00:00+01:00");
    expect(ask("prices", "fifteenMinutes", from, from + 90 * DAY_MS)).toBe("fits");
    expect(ask("prices", "fifteenMinutes", from, from + 90 * DAY_MS + 900_000)).toBe("range_too_large");
    const spring = Date.parse("2025-03-30T00:00:00+01:00");
    expect(ask("prices", "hour", spring, spring + 366 * DAY_MS)).toBe("fits");
    const autumn = Date.parse("2026-10-01T00:00:00+02:00");
    expect(ask("prices", "fifteenMinutes", autumn, calendar.add("day", autumn, 90))).toBe("fits");
  });

  test("the length of a cap accepts twelve months in 366 days, rejects thirteen", () => {
    const from = Date.parse("2026-01-01T00:00:00+01:00");
    expect(ask("consumptionCosts", "month", from, calendar.add("month", from, 12))).toBe("fits");
    expect(ask("consumptionCosts", "month", from, calendar.add("month", from, 13))).toBe("range_too_large");
  });

  test("the length of a cap is unlimited for consumption: fifty years of hours are accepted", () => {
    const from = Date.parse("1980-01-01T00:00:00+01:00");
    for (const unit of ["hour", "day", "month", "year"]) {
      expect(ask("consumption", unit, from, calendar.add("year", from, 50))).toBe("fits");
    }
  });
});
