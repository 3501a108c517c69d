import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionAnswer } from "../../src/api/dashboard-routes.ts";
import { dashboardApi, marketFile, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { thirdPartyWith } from "../support/http/local-api.ts";
import { lacks } from "../support/runner/needs.ts";

interface ToldPrice {
  readonly start: string;
  readonly end: string;
  readonly price: number;
  readonly parts: { readonly spot: number; readonly charges: number; readonly vat: number };
}

/** Returns the text of each bar of a chart for screen readers, read with the arrow keys. */
async function readOut(screen: Screen, part = "#prices"): Promise<string[]> {
  const slider = screen.page.locator(`${part} [role=slider]`);
  await slider.focus();
  await screen.page.keyboard.press("Home");
  // Two hundred calls of the browser would take seconds, so the page presses the other keys.
  const readouts = (await screen.page.evaluate(`(async () => {
    const slider = document.activeElement;
    const texts = [];
    for (let i = 0; i <= Number(slider.ariaValueMax); i++) {
      texts.push(slider.ariaValueText);
      slider.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
      await new Promise((resolve) => setTimeout(resolve));
    }
    return texts;
  })()`)) as string[];
  return readouts.map((text) => text.replace(/\s+/g, " "));
}

const choose = (screen: Screen, name: string) =>
  screen.page.locator("#prices").getByRole("radio", { name, exact: true }).check();

describe.skipIf(lacks("Chromium"))("prices on the dashboard (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  /** Daemon of tests that change nothing and need no other time. */
  let daemon: TestDaemon;
  beforeAll(async () => {
    screens = await Screens.start();
    daemon = await startDashboard({ start: "2026-03-10T14:20:00Z" });
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
  });

  test("the large number is the current price, with unit, level as a word and rank", async () => {
    await using screen = await screens.look(daemon);
    const now = (await (await daemon.request("/local/v1/now?home=home")).json()) as Record<string, unknown>;
    await screen.untilText("#now .price", new RegExp(`^${Number(now.price).toFixed(2)} ?DKK/kWh$`));
    const words: Record<string, string> = {
      very_cheap: "Very cheap",
      cheap: "Cheap",
      normal: "Normal",
      expensive: "Expensive",
      very_expensive: "Very expensive",
    };
    expect(await screen.text("#now .level-line")).toContain(words[String(now.level)] ?? "?");
    expect(await screen.text("#now .hero")).toContain(`No. ${now.rank} of ${now.rank_of} today`);
    expect(await screen.text("#now .when")).toBe("Price now · 15:15–15:30");
    expect(await screen.text("#now .outlook")).toMatch(/(Falls|Rises) to [a-z ]+ at \d\d:\d\d, about DKK \d\.\d\d/);
    expect(screen.errors).toEqual([]);
  });

  test("every bar and row has the API's price, in the home's time zone, with any time zone of the browser", async () => {
    await using screen = await screens.look(daemon, { view: "prices" });
    await screen.untilText("#prices .readout", /DKK/);
    await choose(screen, "Today");
    const readouts = await readOut(screen);
    const { prices } = (await (
      await daemon.request("/local/v1/prices?home=home&from=2026-03-09T23:00:00Z&to=2026-03-10T23:00:00Z")
    ).json()) as { prices: ToldPrice[] };
    expect(readouts).toHaveLength(96);
    for (const [i, { price, parts }] of prices.entries()) {
      expect(readouts[i]).toContain(`DKK ${price.toFixed(2)}/kWh`);
      const shown = /\. Spot (.+) \+ charges (.+) \+ VAT DKK (\d+\.\d\d)/.exec(readouts[i]?.replaceAll("−", "-") ?? "");
      expect(shown?.slice(1).map(Number)).toEqual(
        [parts.spot, parts.charges, parts.vat].map((part) => expect.closeTo(part, 1)),
      );
    }
    expect(readouts[0]).toMatch(/^Tue,? 10 Mar 00:00–00:15/);
    expect(readouts[95]).toMatch(/^Tue,? 10 Mar 23:45–00:00/);

    // The same prices are available as a table. The browser fires the toggle event of a fold asynchronously.
    await screen.page.locator("#prices .table summary").click();
    await screen.until("document.querySelectorAll('#prices tbody tr').length === 96");
    expect(await screen.text("#prices tbody tr.present th")).toContain("15:15–15:30");
    const table = screen.page.locator("#prices table");
    const heads = await table.locator("thead th").allTextContents();
    expect(heads).toEqual(["Time", "Price per kWh", "Spot", "Charges", "VAT", "Level"]);
    const cells = (await table.locator("tbody td").allTextContents()).map((text) => text.replace("−", "-"));
    expect(cells).toHaveLength(96 * 5);
    for (const [i, { price, parts }] of prices.entries()) {
      const [shown = "", ...others] = cells.slice(i * 5, i * 5 + 4);
      expect(shown).toContain(price.toFixed(2));
      for (const [k, part] of [parts.spot, parts.charges, parts.vat].entries())
        expect(Math.abs(Number(others[k]) - part)).toBeLessThan(0.0051);
    }
  });

  test.each([
    [
      25,
      "2026-10-25",
      "back",
      100,
      { 8: "02:00 A–02:15 A (A: summer time)", 12: "02:00 B–02:15 B (B: winter time)", 16: "03:00–03:15:" },
    ],
    [23, "2026-03-29", "forward", 92, { 7: "01:45–03:00", 8: "03:00–03:15" }],
  ])(
    "the day of %i hours has its quarters, and a repeated hour is marked A and B",
    async (hours, day, where, count, some) => {
      await using daemon = await startDashboard({ start: `${day}T09:20:00Z` });
      await using screen = await screens.look(daemon, { size: "wall", view: "prices" });
      await screen.untilText("#prices .notes", new RegExp(`has ${hours} hours: the clocks go ${where}`));
      await choose(screen, "Today");
      const readouts = await readOut(screen);
      expect(readouts).toHaveLength(count);
      for (const [i, text] of Object.entries(some)) expect(readouts[Number(i)]).toContain(text);
      await screen.page.keyboard.press("Escape");
      await screen.picture(`prices-${hours}-hours`);
    },
  );

  test("prices that cannot be right are hatched and named, and the others keep their height", async () => {
    await using screen = await screens.look(daemon);
    await screen.page.route("**/local/v1/prices?*", async (route) => {
      const answer = (await (await route.fetch()).json()) as { prices: ToldPrice[] };
      const isWrong = ({ start }: { start: string }) => start.startsWith("2026-03-10T17:");
      const doubtful = answer.prices.filter(isWrong).map(({ start, end }) => ({ start, end, price: 1840 }));
      await route.fulfill({ json: { ...answer, prices: answer.prices.filter((each) => !isWrong(each)), doubtful } });
    });
    await screen.page.reload();
    await screen.untilText("#now .strip", /18:00: cannot be right/);
    await screen.show("prices");
    await choose(screen, "Today");
    await screen.untilText("#prices .notes", /Prices that cannot be right are hatched in grey/);
    expect((await readOut(screen))[72]).toMatch(/18:00–18:15: DKK 1,840.00\/kWh, Level unknown, cannot be right/);
    expect(await screen.text("#prices .legend")).toContain("cannot be right");
    expect(await screen.page.locator("#prices .plot path[fill$='-unknown)']").count()).toBe(1);
    expect((await inkShares(screen, 12)).above).toBeGreaterThan(0.2);
  });

  test("the page says that tomorrow's prices are missing, and marks the estimates", async () => {
    await using daemon = await startDashboard({ start: "2026-03-10T08:00:00Z" });
    await using screen = await screens.look(daemon, { size: "phone", view: "prices" });
    await screen.untilText("#prices .notes", /Tomorrow’s prices are expected at about 13:00\. Estimates until then\./);
    await choose(screen, "Tomorrow");
    const readouts = await readOut(screen);
    expect(readouts).toHaveLength(24);
    for (const each of readouts) expect(each).toMatch(/, estimate$/);
    await screen.picture("prices-no-tomorrow-phone");
    await daemon.clock.runUntil(Date.parse("2026-03-10T13:30:00Z"));
    await screen.until("!document.querySelector('#prices .notes').textContent.includes('expected')");
    expect(Number(await screen.page.locator("#prices [role=slider]").getAttribute("aria-valuemax"))).toBe(95);
  });

  test("negative prices are drawn below the zero line, with minus sign and level", async () => {
    const perMwh = Array.from({ length: 24 * 6 }, (_, i) => (i % 24 >= 10 && i % 24 < 15 ? -900 : 500 + (i % 24) * 20));
    const csv = marketFile("2026-05-28T22:00:00Z", perMwh);
    await using daemon = await startDashboard({ start: "2026-06-01T09:20:00Z", simulator: { prices: { csv } } });
    await using screen = await screens.look(daemon, { size: "wall" });
    await screen.untilText("#now .price", /^−\d\.\d\d/);
    expect(await screen.text("#now .level-line")).toContain("Very cheap");
    await screen.show("prices");
    await choose(screen, "Today");
    const readouts = await readOut(screen);
    expect(readouts.filter((each) => /−DKK \d|DKK −\d|−\d/.test(each)).length).toBe(20);
    // Colored pixels are below the zero line, and not above it.
    const below = await inkShares(screen, 12);
    expect(below.below).toBeGreaterThan(0.2);
    expect(below.above).toBeLessThan(0.02);
    const normal = await inkShares(screen, 4);
    expect(normal.below).toBeLessThan(0.02);
    expect(normal.above).toBeGreaterThan(0.2);
    await screen.page.keyboard.press("Escape");
    await screen.picture("prices-negative");
  });

  test("without any price the page says so and shows no number", async () => {
    const csv = marketFile("2020-01-01T00:00:00Z", [100, 100]);
    await using daemon = await startDashboard({
      start: "2026-06-01T09:20:00Z",
      simulator: { prices: { csv } },
      until: "started",
    });
    await using screen = await screens.look(daemon, { size: "phone" });
    await screen.untilText("#now .hero", /The current price is not known/);
    expect(await screen.text("#now .price")).toBe("–");
    await screen.show("prices");
    await screen.untilText("#prices .notes", /No prices yet/);
    await screen.picture("prices-none-phone");
    expect(screen.errors).toEqual([]);
  });

  test("a tap on the chart shows the price there, and the page still scrolls vertically", async () => {
    await using screen = await screens.look(daemon, { size: "phone", view: "prices" });
    await screen.untilText("#prices .readout", /DKK/);
    await choose(screen, "Today");
    const chart = screen.page.locator("#prices .over");
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    if (!box) throw new Error("no chart");
    await screen.page.touchscreen.tap(box.x + box.width * 0.01, box.y + box.height / 2);
    await screen.untilText("#prices .readout", /00:00–00:15/);
    await screen.page.touchscreen.tap(box.x + box.width * 0.51, box.y + box.height / 2);
    await screen.untilText("#prices .readout", /(12:00–12:15|12:15–12:30).*Spot \d.*charges \d.*VAT DKK \d/);
    expect(await screen.page.evaluate("getComputedStyle(document.querySelector('#prices .over')).touchAction")).toBe(
      "pan-y",
    );
  });

  test("a third-party place is shown with its prices and without usage", async () => {
    const start = Date.parse("2026-03-10T14:20:00Z");
    await using daemon = await TestDaemon.start({
      start,
      config: {
        api: dashboardApi(),
        ...thirdPartyWith([{ name: "Cabin", region: "DK1" }]),
      },
    });
    await daemon.clock.runUntil(start + 10 * 60_000);
    await using screen = await screens.look(daemon);
    await screen.untilText("#now .price", /\d/);
    await screen.page.getByLabel("Home", { exact: true }).selectOption({ label: "Cabin" });
    const { price } = (await (await daemon.request("/local/v1/now?home=cabin")).json()) as { price: number };
    await screen.untilText("#now .price", new RegExp(`^${price.toFixed(2)}`));
    await expect.poll(() => screen.page.locator(".money").count()).toBe(0);
    await screen.page.evaluate("location.hash = 'use'");
    await screen.untilText("#use", /no consumption/);
    expect(screen.errors).toEqual([]);
  });

  test("a chosen home is shown with its prices, also after a reload", async () => {
    await using daemon = await startDashboard({
      start: "2026-03-10T14:20:00Z",
      simulator: { homes: ["danish", "swedish"] },
    });
    await using screen = await screens.look(daemon);
    await screen.untilText("#now .price", /DKK\/kWh/);
    await screen.page.getByLabel("Home", { exact: true }).selectOption({ label: "Stugan" });
    await screen.untilText("#now .price", /SEK\/kWh/);
    await screen.untilText("#now .next-runs", /Create one under Plans/);
    await screen.page.reload();
    await screen.untilText("#now .price", /SEK\/kWh/);

    let homes: { readonly address: string | null }[] = [];
    await screen.page.route("**/local/v1/session", async (route) => {
      const answer = await route.fetch();
      const session = (await answer.json()) as SessionAnswer;
      homes = session.house?.homes.map((home) => ({ ...home, name: "Flat" })) ?? [];
      await route.fulfill({ response: answer, json: { ...session, house: { ...session.house, homes } } });
    });
    await screen.page.reload();
    await screen.untilText("#now .price", /SEK\/kWh/);
    const names = await screen.page.getByLabel("Home", { exact: true }).locator("option").allTextContents();
    expect(names).toEqual(homes.map(({ address }) => address));
    expect(new Set(names).size).toBe(2);
  });
});

/** Returns the shares of the chart's height that bars cover at a local hour, above and below the zero line. */
async function inkShares(screen: Screen, hour: number): Promise<{ above: number; below: number }> {
  return (await screen.page.evaluate(`(() => {
    const svg = document.querySelector("#prices .plot svg").getBoundingClientRect();
    const over = document.querySelector("#prices .over").getBoundingClientRect();
    const bars = [...document.querySelectorAll("#prices .plot path[fill]")];
    const zero = document.querySelector("#prices .plot .zero").getBoundingClientRect().top;
    // The middle of the hour is the gap between two quarters.
    const x = over.left - svg.left + over.width * (${hour} + 0.55) / 24;
    const isCovered = (y) => bars.some((bar) => bar.isPointInFill(new DOMPoint(x, y - svg.top)));
    const covered = (from, to) => { let rows = 0; for (let y = from; y < to; y++) if (isCovered(y)) rows++; return rows / over.height; };
    return { above: covered(over.top, zero - 2), below: covered(zero + 3, over.bottom) };
  })()`)) as { above: number; below: number };
}
