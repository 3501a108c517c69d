import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EnergyMonth } from "../../src/api/house/month.ts";
import { startDashboard } from "../support/browser/dashboard-daemon.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

interface EnergyRow {
  readonly start: string;
  readonly energyKWh: number;
  readonly totalCost?: number;
  readonly totalPricePerKWh?: number | null;
}

const ADDRESS = "5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01";

describe.skipIf(lacks("Chromium"))("usage on the dashboard (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;

  beforeAll(async () => {
    screens = await Screens.start();
    // After 3 h the history is stored.
    daemon = await startDashboard({ start: "2026-03-20T10:00:00Z", plans: [] });
    await daemon.clock.runUntil(Date.parse("2026-03-20T13:00:00Z"));
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
  });

  async function atUse(options: Parameters<Screens["look"]>[1] = {}): Promise<Screen> {
    const screen = await screens.look(daemon, { ...options, view: "use" });
    await screen.untilText("#use .use-card .facts", /\d/);
    return screen;
  }

  async function rows(operation: string, from: string, to: string): Promise<EnergyRow[]> {
    const query = new URLSearchParams({ from, to, aggregation: "hour" });
    const answer = await daemon.request(`/consumer/v1/me/addresses/${ADDRESS}/${operation}?${query}`);
    return ((await answer.json()) as { data: EnergyRow[] }).data;
  }

  const pick = (screen: Screen, name: string) =>
    screen.page.locator("#use").getByRole("radio", { name, exact: true }).check();
  const readout = async (screen: Screen) =>
    ((await screen.page.locator("#use [role=slider]").getAttribute("aria-valuetext")) ?? "").replace(/\s+/g, " ");

  test("a month by days: its sum equals the sum of the hours, and missing days are named", async () => {
    await using screen = await atUse();
    const data = await rows("consumption", "2026-02-28T23:00:00Z", "2026-03-19T23:00:00Z");
    const sum = data.reduce((total, row) => total + row.energyKWh, 0);
    await screen.untilText("#use .use-card .facts", new RegExp(`Used ${sum.toFixed(0)} kWh`));
    const missing = 19 * 24 - data.length;
    if (missing > 0) expect(await screen.text("#use .notes")).toContain(`${missing} hours are missing`);
    expect(await screen.text("#use .period")).toBe("March 2026");
    await screen.picture("use-month");
  });

  test("the average price paid is compared with the average of all prices", async () => {
    await using screen = await atUse();
    await screen.untilText("#use .use-card .facts", /Average market price DKK \d\.\d\d\/kWh/);
    const data = await rows("consumption-costs", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z");
    const money = data.reduce((total, row) => total + (row.totalPricePerKWh ?? 0) * row.energyKWh, 0);
    const kwh = data.reduce((total, row) => total + row.energyKWh, 0);
    await screen.untilText(
      "#use .use-card .facts",
      new RegExp(`Average paid per kWh DKK ${(money / kwh).toFixed(2)}/kWh`),
    );
    const query = new URLSearchParams({
      from: "2026-02-28T23:00:00Z",
      to: "2026-03-19T23:00:00Z",
      resolution: "fifteenMinutes",
    });
    const answer = await daemon.request(`/consumer/v1/me/addresses/${ADDRESS}/prices?${query}`);
    const prices = ((await answer.json()) as { data: { totalPricePerKWh: number }[] }).data;
    const mean = prices.reduce((total, row) => total + row.totalPricePerKWh, 0) / prices.length;
    await screen.untilText("#use .use-card .facts", new RegExp(`Average market price DKK ${mean.toFixed(2)}/kWh`));
    expect(await screen.text("#use .notes")).toMatch(
      /You used electricity when prices were (low|high): \d+% (below|above)/,
    );
  });

  test("the month's costs, those of earlier periods and the highest hours are the API's", async () => {
    await using screen = await atUse();
    await screen.untilText("#use [aria-labelledby=month-title] .facts", /\d/);
    // This home has no costs of whole earlier months.
    const answer = (await (await daemon.request("/local/v1/month?home=home")).json()) as EnergyMonth;
    const month = { ...answer, previous_month: 498.6, same_month_last_year: 512.4, previous_year: 6_100.4 };
    await screen.page.route("**/local/v1/month*", (route) => route.fulfill({ json: month }));
    await screen.page.reload();
    await screen.untilText("#use [aria-labelledby=month-title] .facts", /2025/);
    const facts = screen.page.locator("#use [aria-labelledby=month-title] .facts > div");
    const shown = await facts.evaluateAll((rows) =>
      rows.map((row) => [row.querySelector("dt"), row.querySelector("dd")].map((each) => each?.textContent ?? "")),
    );
    const digits = (text = "") => text.replace(/[^\d.]/g, "");
    expect(shown.map(([name = "", text]) => [name.replaceAll("\u00a0", " "), digits(text)])).toEqual([
      ["Mar so far", month.to_date?.toFixed(2)],
      ["Expected for Mar", month.expected?.toFixed(0)],
      ["February 2026", "499"],
      ["March 2025", "512"],
      ["2025", "6100"],
      ["Average of the three highest days", month.peaks?.mean.toFixed(1)],
    ]);
    const days = digits((await facts.last().locator("dd.faint").textContent()) ?? "");
    for (const { kw } of month.peaks?.days ?? []) expect(days).toContain(kw.toFixed(1));
  });

  test("a day by hours, with buttons for the day before and after", async () => {
    await using screen = await atUse({ size: "phone" });
    await pick(screen, "Day");
    await screen.untilText("#use .period", /Thursday,? 19 March 2026/);
    await screen.page.locator("#use").getByRole("button", { name: "Earlier" }).click();
    await screen.untilText("#use .period", /Wednesday,? 18 March 2026/);
    const [first] = await rows("consumption", "2026-03-17T23:00:00Z", "2026-03-18T23:00:00Z");
    await screen.settled("use");
    await screen.page.locator("#use [role=slider]").focus();
    await screen.page.keyboard.press("Home");
    const amount = first?.energyKWh.toFixed(2);
    expect(await readout(screen)).toMatch(new RegExp(`^Wed,? 18 Mar 00:00–01:00, ${amount} kWh(, estimate)?$`));
    await screen.picture("use-day-phone");
  });

  test("a year by months, all years, and chosen dates by hour", async () => {
    await using screen = await atUse({ size: "wall" });
    await pick(screen, "Year");
    await screen.untilText("#use .period", /^2026$/);
    await screen.page.locator("#use").getByRole("button", { name: "Earlier" }).click();
    await screen.untilText("#use .period", /^2025$/);
    await screen.settled("use");
    await screen.picture("use-year");
    await pick(screen, "Years");
    await screen.untilText("#use .period", /^2022–2026$/);
    await screen.untilText("#use .use-card .facts", /\d/);
    await pick(screen, "Costs");
    await screen.untilText("#use .use-card .facts", /Paid, including fees and VAT DKK [\d,]{5}/);
    await pick(screen, "Dates");
    await screen.page.getByLabel("From", { exact: true }).fill("2026-02-01");
    await screen.page.getByLabel("To (inclusive)").fill("2026-02-14");
    await screen.page.getByLabel("Per", { exact: true }).selectOption("hour");
    await screen.page.locator("#use").getByRole("button", { name: "Show" }).click();
    await screen.until("document.querySelector('#use [role=slider]').getAttribute('aria-valuemax') === '335'");
    await screen.picture("use-dates");
    expect(screen.errors).toEqual([]);
  });

  test("usage on the dashboard dates in the wrong order show an error, and no request is sent", async () => {
    await using screen = await atUse();
    await pick(screen, "Dates");
    await screen.page.getByLabel("From", { exact: true }).fill("2026-03-10");
    await screen.page.getByLabel("To (inclusive)").fill("2026-03-01");
    await screen.page.locator("#use").getByRole("button", { name: "Show" }).click();
    await screen.untilText("#use .form-foot .wrong", /Enter two dates in order/);
  });

  test("costs, export and revenue are shown with their units", async () => {
    await using screen = await atUse();
    await pick(screen, "Costs");
    await screen.untilText("#use .use-card .facts", /Paid, including fees and VAT DKK \d/);
    await pick(screen, "Export");
    await screen.untilText("#use .use-card .facts", /Sold [\d.,]+ kWh/);
    await pick(screen, "Revenue");
    await screen.untilText("#use .use-card .facts", /Earned, after fees (-?DKK|DKK -?) ?-?\d/);
  });

  test("the day of 25 hours has 25 bars", async () => {
    await using long = await startDashboard({ start: "2026-10-26T10:30:00Z", plans: [] });
    await long.clock.runUntil(Date.parse("2026-10-26T12:30:00Z"));
    await using screen = await screens.look(long, { view: "use" });
    await pick(screen, "Day");
    await screen.untilText("#use .period", /25 October 2026/);
    await screen.until("document.querySelector('#use [role=slider]')?.getAttribute('aria-valuemax') === '24'");
    await screen.picture("use-25-hours");
  });

  test("usage of stored months is shown without a request to the service", async () => {
    const before = daemon.simulator.answered().length;
    await using screen = await atUse();
    await pick(screen, "Day");
    await pick(screen, "Year");
    await screen.untilText("#use .period", /^2026$/);
    await screen.settled("use");
    const asked = daemon.simulator
      .answered()
      .slice(before)
      .map(({ operation }) => operation);
    expect(asked).toEqual([]);
  });
});
