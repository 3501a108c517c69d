import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/core/time/interval.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { PlanStore } from "../../src/storage/plan-store.ts";
import { DASHBOARD_PLANS, dashboardApi } from "../support/browser/dashboard-daemon.ts";
import { axeViolations, COLOUR_RULES, MISFITS, OVERLAPS, SMALL_TARGETS } from "../support/browser/page-checks.ts";
import { type LookOptions, type Screen, Screens } from "../support/browser/screen.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { planEntry } from "../support/plans/plan-topics.ts";
import { lacks } from "../support/runner/needs.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const START = Date.parse("2026-03-20T10:00:00Z");
const PLANS = [
  ...DASHBOARD_PLANS,
  planEntry({ name: "Gulvvarmeanlægget i det store badeværelse", id: "floor", kind: "avoid", hours: 4 }),
];
/** Stores ten months of runs, one per plan and day. All save money except those of the car in August. */
function keepRuns(dir: TempDir): void {
  const database = openDatabase(`${dir.path}/elbro.db`);
  const store = new PlanStore(database);
  const plans = [
    { plan: "dishwasher", kwh: 1.2, hours: 3 },
    { plan: "hot_water", kwh: 6, hours: 4 },
    { plan: "car", kwh: 30, hours: 5 },
    { plan: "floor", kwh: null, hours: 20 },
  ];
  for (let day = 1; day <= 300; day++)
    for (const [i, { plan, kwh, hours }] of plans.entries()) {
      const start = START - day * DAY_MS - i * HOUR_MS;
      const meanPrice = 1 + 0.5 * Math.sin(day / 30);
      const isLost = plan === "car" && new Date(start).getUTCMonth() === 7;
      const windowStartPrice = meanPrice + (isLost ? -0.05 : 0.2 + 0.1 * Math.cos(day / 40));
      const prices = { basis: "prices", meanPrice, windowStartPrice, windowPrice: meanPrice + 0.15 } as const;
      store.write(plan, null, [{ start, end: start + hours * HOUR_MS, ...prices, kwh }]);
    }
  database.close();
}

describe.skipIf(lacks("Chromium"))("results on the dashboard (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;
  const dir = new TempDir();

  beforeAll(async () => {
    screens = await Screens.start();
    keepRuns(dir);
    daemon = await TestDaemon.start({
      start: START,
      dir,
      simulator: { homes: ["danish"] },
      config: { plans: PLANS, api: dashboardApi(), history: { months: 3 } },
    });
    // By then, the history and tomorrow's prices are stored.
    await daemon.clock.runUntil(START + 4 * HOUR_MS);
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  async function atResults(options: LookOptions = {}): Promise<Screen> {
    const screen = await screens.look(daemon, { ...options, view: "results" });
    await screen.untilText("#results .block >> nth=0", /\d/);
    await screen.untilText("#results .run-list", /\d/);
    return screen;
  }
  const toldBy = async (slider: Locator) => ((await slider.getAttribute("aria-valuetext")) ?? "").replace(/\s+/g, " ");
  const answer = async (path: string) => (await daemon.request(`/local/v1/${path}`)).json();

  test("nothing is cut off or overlaps at any size; axe finds no violation, light or dark", async () => {
    for (const language of ["da-DK", "sv-SE"]) {
      await using screen = await atResults({ language });
      // Each plan of the legend has a colour of its own.
      const colours = `[...document.querySelectorAll("#results .key")].map((key) => getComputedStyle(key).backgroundColor)`;
      const found = (await screen.page.evaluate(colours)) as string[];
      expect([found.length > 1, new Set(found).size]).toEqual([true, found.length]);
      await screen.page.locator("#results .csv summary").click();
      for (const size of ["phone", "pad", "wide"] as const) {
        await screen.resize(size);
        await screen.picture(`results-${size}-${language}`);
        expect(await screen.page.evaluate(MISFITS), size).toEqual([]);
        expect(await screen.page.evaluate(OVERLAPS), size).toEqual([]);
        if (size === "phone") expect(await screen.page.evaluate(SMALL_TARGETS)).toEqual([]);
      }
      await screen.page.emulateMedia({ colorScheme: language === "da-DK" ? "light" : "dark" });
      expect(await axeViolations(screen, language === "da-DK" ? undefined : COLOUR_RULES)).toEqual([]);
      expect(screen.errors).toEqual([]);
    }
  });

  test("results on the dashboard savings equal the API's, by plan and against the chosen baseline", async () => {
    await using screen = await atResults();
    const { months } = (await answer("savings?home=home")) as {
      months: Readonly<{ plan: string; against_window_start: number | null; against_mean: number | null }>[];
    };
    const sum = (baseline: "window_start" | "mean", plan?: string) =>
      months
        .filter((month) => plan === undefined || month.plan === plan)
        .reduce((total, month) => total + (month[`against_${baseline}`] ?? 0), 0)
        .toFixed(2);
    const money = (text: string) => text.replaceAll(",", "");
    const text = money(await screen.text("#results .block >> nth=0"));
    expect(text).toContain(`DKK ${sum("window_start")} saved since `);
    expect(text).toContain(`Car DKK ${sum("window_start", "car")}`);
    expect(text).toContain("Gulvvarmeanlægget i det store badeværelse has no kWh setting");
    await screen.page.getByRole("radio", { name: "Average price" }).check();
    const other = money(await screen.untilText("#results .block >> nth=0", /at the average price/));
    expect(other).toContain(`DKK ${sum("mean")} saved since `);
  });

  test("arrow keys read out the chart of savings by month and plan", async () => {
    await using screen = await atResults();
    const slider = screen.page.locator("#results [role=slider]").first();
    await slider.focus();
    await screen.page.keyboard.press("End");
    expect(await toldBy(slider)).toMatch(
      /^March 2026: .*Dishwasher: DKK \d+\.\d\d saved, \d+ runs, cost DKK \d+\.\d\d/,
    );
    expect(await toldBy(slider)).toMatch(/ Hot water: /);
    await screen.page.keyboard.press("ArrowLeft");
    expect(await toldBy(slider)).toMatch(/^February 2026: /);
  });

  test("each run has its price, the price of its baseline and its saving", async () => {
    await using screen = await atResults();
    const { runs } = (await answer("runs?plan=dishwasher")) as {
      runs: { name: string; mean_price: number; window_start_price: number; against_window_start: number | null }[];
    };
    const [first] = runs;
    const text = await screen.text("#results .run-list li:has-text('Dishwasher') >> nth=0");
    expect(text).toContain(`${first?.name} DKK ${first?.against_window_start?.toFixed(2)} saved`);
    expect(text).toContain(`DKK ${first?.mean_price.toFixed(2)}/kWh`);
    expect(text).toContain(`DKK ${first?.window_start_price.toFixed(2)} if it had started when its window opened`);
    await screen.page.getByRole("radio", { name: "Average price" }).check();
    await screen.untilText("#results .run-list li:has-text('Dishwasher') >> nth=0", /on average in its window/);
    const list = screen.page.locator("#results .run-list li");
    await expect.poll(() => list.count()).toBe(6);
    await screen.page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => list.count()).toBe(30);
    const iconIn = (rows: string) => screen.page.locator(`${rows}:has-text("Car") .plan-icon path >> nth=0`);
    const icon = await iconIn("#results .run-list li").getAttribute("d");
    await screen.show("plans");
    expect(await iconIn("#plans article").getAttribute("d")).toBe(icon);
  });

  test("the overview says what the runs of yesterday saved, and nothing if that is unknown", async () => {
    await using screen = await screens.look(daemon, { language: "da-DK" });
    const { runs } = (await answer("runs?from=2026-03-18T23:00:00Z&to=2026-03-19T23:00:00Z")) as {
      runs: { against_window_start: number | null }[];
    };
    const saved = runs.reduce((sum, run) => sum + (run.against_window_start ?? 0), 0).toFixed(0);
    await screen.untilText("#now .next-runs", new RegExp(`I går sparede elbro ${saved} kr\\., det meste på Car$`));
    await screen.page.route("**/local/v1/runs?*", (route) => route.fulfill({ json: { runs: [], more: false } }));
    await screen.page.reload();
    await screen.untilText("#now .next-runs", /\d\d\.\d\d/);
    await screen.settled("now");
    expect(await screen.text("#now .next-runs")).not.toContain("I går");
  });

  test("results can be downloaded as CSV, with a decimal comma if the language uses one", async () => {
    await using screen = await atResults({ language: "da-DK" });
    await screen.page.locator("#results .csv summary").click();
    const downloading = screen.page.waitForEvent("download");
    await screen.page.getByRole("link", { name: "Besparelser pr. måned" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("elbro-savings.csv");
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toMatch(/^\uFEFFstart;plan;name;home;runs;hours \(h\);currency;cost \(DKK\);/);
    expect(text).toMatch(/\r\n2026-03-01T00:00:00\+01:00;dishwasher;Dishwasher;home;\d+;\d+;DKK;\d+,\d+;\d+,\d+;/);
  });
});
