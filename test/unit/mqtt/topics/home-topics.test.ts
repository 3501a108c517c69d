import { describe, expect, test } from "vitest";
import { homeSnapshot } from "../../../../src/core/prices/home-snapshot.ts";
import { joinForecast } from "../../../../src/core/prices/timeline.ts";
import { homeMessages } from "../../../../src/mqtt/topics/home-topics.ts";
import { fullHome } from "../../../support/home/home-cases.ts";
import { at, calendar, dayOf, HOME, points, timelineOf } from "../../../support/home/price-days.ts";

/** Maximum attribute size in Home Assistant's recorder, minus room for an entity's own attributes. */
const MAX_BYTES = 16_384 - 512;

function payloadsOf(snapshot: ReturnType<typeof fullHome>) {
  return Object.fromEntries(homeMessages("elbro", snapshot).map(({ topic, payload }) => [topic, payload]));
}

describe("topics of a home", () => {
  const shown = payloadsOf(fullHome());

  test("topics of a home have arrays with start and value, without end", () => {
    const prices = JSON.parse(shown["elbro/home/prices"] ?? "");
    expect([prices.today.length, prices.tomorrow.length, prices.tomorrow_valid]).toEqual([96, 96, true]);
    expect(prices.raw_today[0]).toEqual({ start: "2026-03-09T23:00:00Z", value: prices.today[0] });
    expect(prices.raw_tomorrow[0].start).toBe("2026-03-10T23:00:00Z");
    expect(prices.tomorrow_published_at).toBe("2026-03-10T12:04:00Z");
  });

  test("contain the known prices of an incomplete tomorrow, and null at the place of a missing one", () => {
    const short = homeSnapshot({
      home: HOME,
      timeline: timelineOf([
        ...points(dayOf("2026-03-10"), () => 1),
        ...points(dayOf("2026-03-11"), () => 1).toSpliced(2, 1),
      ]),
      now: at("2026-03-10T13:00:00Z"),
      calendar,
    });
    const prices = JSON.parse(payloadsOf(short)["elbro/home/prices"] ?? "");
    expect([prices.tomorrow.length, prices.tomorrow[2], prices.raw_tomorrow.length]).toEqual([96, null, 95]);
    expect(prices).toMatchObject({ tomorrow_valid: false, tomorrow_published_at: null });
  });
});

test.each(["2026-10-24", "2026-10-25"])(
  "near the day of 100 quarters, on %s, long prices stay below the recorder's limit",
  (date) => {
    const today = dayOf(date);
    const range = { start: calendar.add("day", today.start, -3), end: calendar.add("day", today.end, 1) };
    const forecast = points({ start: range.end, end: calendar.add("day", range.end, 20) }, () => -12.345678901234567, {
      unit: "hour",
      estimate: true,
    });
    const timeline = timelineOf(
      joinForecast(
        points(range, (i) => -12.345678901234567 - i / 7),
        forecast,
      ),
    );
    const shown = payloadsOf(homeSnapshot({ home: HOME, timeline, now: today.start, calendar }));
    const prices = shown["elbro/home/prices"] ?? "";
    expect(JSON.parse(prices).raw_today.length + JSON.parse(prices).raw_tomorrow.length).toBe(196);
    expect(Buffer.byteLength(prices)).toBeLessThan(MAX_BYTES);
    expect(Buffer.byteLength(shown["elbro/home/forecast"] ?? "")).toBeLessThan(MAX_BYTES);
  },
);
