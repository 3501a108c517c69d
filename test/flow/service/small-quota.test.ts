/** What a small quota is enough for on a usual day. The whole table is `npm run bench -- quota`. */
import { expect, test } from "vitest";
import { usualDay } from "../../support/service/usual-day.ts";

test("of 50 requests a day, two homes have prices, forecast, usage and ten questions from the LAN", async () => {
  const { today, tomorrow, forecast, usage, lan, denied } = await usualDay(50, 2);
  expect({ today, lan, denied }).toEqual({ today: 2, lan: 10, denied: 0 });
  expect(Math.max(tomorrow, forecast, usage)).toBeLessThan(24);
});

test("of 120 requests a day, four homes have all of it by 14:30", async () => {
  const { today, tomorrow, forecast, usage, lanEarly, denied } = await usualDay(120, 4);
  expect({ today, lanEarly, denied }).toEqual({ today: 4, lanEarly: 10, denied: 0 });
  expect(Math.max(tomorrow, forecast, usage)).toBeLessThan(14.5);
});
