import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HOUR_MS } from "../../src/core/time/interval.ts";
import { startDashboard } from "../support/browser/dashboard-daemon.ts";
import { type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

interface ToldPlan {
  readonly id: string;
  readonly state: string;
  readonly on: boolean;
  readonly settings: Readonly<Record<string, { readonly value: unknown; readonly changed: boolean }>>;
}

async function plan(daemon: TestDaemon, id: string): Promise<ToldPlan> {
  return (await (await daemon.request(`/local/v1/plans/${id}`)).json()) as ToldPlan;
}

describe.skipIf(lacks("Chromium"))("plans on the dashboard (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;
  let screen: Screen;

  beforeAll(async () => {
    screens = await Screens.start();
    daemon = await startDashboard({ start: "2026-03-10T18:30:00Z" });
    screen = await open("en-GB");
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
  });
  // Each test starts with the settings of the configuration and the dishwasher's details open.
  beforeEach(async () => {
    const nothing = { hours: null, ready_by: null, max_price: null, enabled: null };
    expect((await daemon.post("/local/v1/plans/dishwasher", nothing)).status).toBe(200);
    await screen.page.unrouteAll();
    await screen.page.evaluate("location.hash = 'plans/dishwasher'");
    await screen.page.reload();
    await screen.page.locator(".plan-more > .actions").waitFor();
  });

  async function open(language: string): Promise<Screen> {
    const opened = await screens.look(daemon, { size: "phone", language, view: "plans/dishwasher" });
    await opened.page.locator(".plan-more > .actions").waitFor();
    return opened;
  }
  const card = (name: string, { page } = screen) => page.getByRole("article", { name });
  const undo = async (change: string) => {
    await screen.page.locator(".toast").filter({ hasText: change }).getByRole("button", { name: "Undo" }).click();
    await screen.untilText(".toast", /^Undone\.$/);
  };
  const unfold = (name: string) => card(name).getByRole("button", { name, exact: true }).click();

  test("a row shows the next run and its cost; its details show the mean price and the saving", async () => {
    const text = (await card("Dishwasher").textContent())?.replace(/\s+/g, " ") ?? "";
    expect(text).toMatch(/Planned (today|tomorrow) \d\d:\d\d–\d\d:\d\dDKK \d\.\d\d/);
    expect(text).toMatch(
      /Planned at the cheapest time · DKK \d\.\d\d\/kWh on average · DKK \d\.\d\d\/kWh cheaper than/,
    );
    await screen.picture("plans-phone");
  });

  test("the ribbon shows the run between the opening and the closing of the window", async () => {
    const edges = (await screen.page.evaluate(
      "['.ribbon-closed', '.ribbon-run'].map((name) => [...document.querySelector('.ribbon').querySelectorAll(name)].map((part) => part.getBoundingClientRect().toJSON()))",
    )) as readonly (readonly { readonly left: number; readonly right: number }[])[];
    const [closed = [], [run] = []] = edges;
    // Before 20:00 today, and from 07:00 to 20:00 tomorrow.
    expect(closed.length).toBeGreaterThanOrEqual(2);
    for (const { left, right } of closed)
      expect((run?.right ?? 0) <= left + 3 || (run?.left ?? 0) >= right - 3).toBe(true);
  });

  test("one row is open at a time, the address names it, and the back button closes it", async () => {
    await unfold("Car");
    expect(new URL(screen.page.url()).hash).toBe("#plans/car");
    await expect.poll(() => screen.page.locator(".plan-more:visible").count()).toBe(1);
    await screen.page.goBack();
    await card("Dishwasher").getByRole("button", { name: "Run now" }).waitFor();
    await unfold("Dishwasher");
    await expect.poll(() => screen.page.locator(".plan-more:visible").count()).toBe(0);
  });

  test("a plan can be disabled and enabled", async () => {
    const enabled = card("Dishwasher").getByRole("switch", { name: "Dishwasher: enabled" });
    await enabled.uncheck();
    await screen.untilText("#plans", /Dishwasher .*Disabled.* Hot water/);
    expect((await plan(daemon, "dishwasher")).settings.enabled).toMatchObject({ value: false, changed: true });
    await enabled.check();
    await screen.untilText("#plans", /Dishwasher .*Planned.* Hot water/);
    expect((await plan(daemon, "dishwasher")).state).toBe("scheduled");
  });

  test("hours, times and highest price can be changed and reset to the file's values", async () => {
    const dishwasher = card("Dishwasher");
    await dishwasher.getByText("Adjust", { exact: true }).click();
    await typeKeys(dishwasher.getByLabel("Hours"), "2.5");
    await dishwasher.getByLabel("Ready by").fill("06:30");
    await typeKeys(dishwasher.getByLabel("Highest price per kWh"), "1.75");
    await screen.picture("plans-change-phone");
    await dishwasher.getByRole("button", { name: "Save" }).click();
    await screen.untilText(".toast", /Changed: Dishwasher/);
    expect((await plan(daemon, "dishwasher")).settings).toMatchObject({
      hours: { value: 2.5, changed: true },
      ready_by: { value: "06:30", changed: true },
      max_price: { value: 1.75, changed: true },
      from: { value: "20:00", changed: false },
    });
    await screen.untilText("#plans", /Hours Changed here\. Empty it to use the value of the plan again\./);
    await typeKeys(dishwasher.getByLabel("Hours"), "");
    await dishwasher.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => dishwasher.getByLabel("Hours").inputValue()).toBe("3");
    expect((await plan(daemon, "dishwasher")).settings.hours).toMatchObject({ value: 3, changed: false });
    // The toast takes back this change alone.
    await undo("Changed: Dishwasher");
    expect((await plan(daemon, "dishwasher")).settings).toMatchObject({
      hours: { value: 2.5, changed: true },
      ready_by: { value: "06:30", changed: true },
    });
  });

  test("a refusal is in the language of the page, with the detail in brackets", async () => {
    await using danish = await open("da-DK");
    const dishwasher = card("Dishwasher", danish);
    const text = dishwasher.getByRole("status");
    await dishwasher.getByText("Justér", { exact: true }).click();
    await typeKeys(dishwasher.getByLabel("Timer"), "20");
    await dishwasher.getByRole("button", { name: "Gem" }).click();
    await text
      .filter({ hasText: /^Afvist: Der er ikke plads til timerne .*\(.*der er kun .* timer mellem .*\)$/ })
      .waitFor();
    await dishwasher.getByRole("switch").uncheck();
    await danish.untilText("#plans", /Dishwasher .*Slået fra/);
    await dishwasher.getByRole("button", { name: "Kør nu" }).click();
    await text.filter({ hasText: /^Afvist: Planen er slået fra. Slå den til først.$/ }).waitFor();
  });

  test("a change over MQTT is shown, but a field that is being edited keeps its text", async () => {
    const dishwasher = card("Dishwasher");
    await dishwasher.getByText("Adjust", { exact: true }).click();
    await typeKeys(dishwasher.getByLabel("Hours"), "2");
    await daemon.watcher.publish("elbro/home/plan/dishwasher/ready_by/set", "05:45");
    await expect.poll(() => dishwasher.getByLabel("Ready by").inputValue()).toBe("05:45");
    expect(await dishwasher.getByLabel("Hours").inputValue()).toBe("2");
  });

  test("a plan runs once within the next hours, and an appliance without a plan too", async () => {
    await unfold("Hot water");
    await card("Hot water").getByRole("button", { name: "Once within 8 h" }).click();
    await screen.until("document.querySelectorAll('.plan').length === 4");
    await screen.page.getByRole("button", { name: "Run once" }).click();
    await screen.page.getByLabel("What").fill("Sauna");
    await typeKeys(screen.page.getByRole("textbox", { name: "Hours", exact: true }).first(), "1,5");
    await screen.picture("plans-once-phone");
    await screen.page.getByRole("button", { name: "Plan it" }).click();
    await card("Sauna").waitFor();
    const { plans } = (await (await daemon.request("/local/v1/plans")).json()) as {
      plans: { name: string; runs: { start: string; end: string }[] }[];
    };
    const runs = plans.find(({ name }) => name === "Sauna")?.runs ?? [];
    const lengths = runs.map(({ start, end }) => Date.parse(end) - Date.parse(start));
    expect(lengths.reduce((sum, each) => sum + each, 0)).toBe(1.5 * HOUR_MS);
  });

  test("the holiday of the house is set and ended", async () => {
    const { page } = screen;
    await page.getByRole("button", { name: "Away" }).click();
    await page.getByLabel("First day away").fill("2026-03-10");
    await page.getByLabel("Back on").fill("2026-03-09");
    await page.locator("#plans").getByRole("button", { name: "Save" }).first().click();
    await screen.untilText("#plans .plans-card > .schema-form [role=alert]", /\S/);
    await page.getByLabel("Back on").fill("2026-03-14");
    await screen.picture("plans-away-phone");
    await page.locator("#plans").getByRole("button", { name: "Save" }).first().click();
    await screen.untilText("#plans", /The plans pause while you are away\..* Dishwasher .*Skipped/);
    expect(await (await daemon.request("/local/v1/away")).json()).toMatchObject({
      homes: [{ home: "home", from: "2026-03-10", until: "2026-03-14" }],
    });
    await page.getByRole("button", { name: "Away" }).click();
    await expect.poll(() => page.getByLabel("Back on").inputValue()).toBe("2026-03-14");
    await page.getByRole("button", { name: "Back at home" }).click();
    await screen.untilText("#plans", /The plans run again\./);
  });

  test("a plan can be started and stopped", async () => {
    await unfold("Car");
    await card("Car").getByRole("button", { name: "Charge now" }).click();
    await screen.untilText("#plans", /Car .*Charging .*Started manually/);
    expect(await plan(daemon, "car")).toMatchObject({ on: true });
    await screen.picture("plans-running-phone");
    await card("Car").getByRole("button", { name: "Stop" }).click();
    await screen.untilText("#plans", /Car .*Skipped .*Stopped/);
    expect(await plan(daemon, "car")).toMatchObject({ on: false });
    await undo("Stopped: Car");
    await expect.poll(() => plan(daemon, "car")).toMatchObject({ on: false, state: "scheduled" });
    await card("Car").getByRole("button", { name: "Charge now" }).click();
    await undo("Started: Car");
    await expect.poll(() => plan(daemon, "car")).toMatchObject({ on: false, state: "scheduled" });
  });

  test("what a plan has learned is shown, and can be forgotten", async () => {
    const learned = { runs: 4, kwh: 1.32, profile: [0.1, 1, 0.4] };
    const sent: unknown[] = [];
    const answer = (await (await daemon.request("/local/v1/plans")).json()) as { readonly plans: readonly ToldPlan[] };
    const plans = answer.plans.map((each) => (each.id === "dishwasher" ? { ...each, learned } : each));
    await screen.page.route("**/local/v1/plans", (route) => route.fulfill({ json: { ...answer, plans } }));
    await screen.page.route("**/local/v1/plans/dishwasher", (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ json: {} });
    });
    await screen.page.reload();
    await card("Dishwasher").getByText("Learned from 4 runs: 1.32 kWh per run").waitFor();
    await card("Dishwasher").getByRole("button", { name: "Learn again" }).click();
    await screen.untilText(".toast", /^Learns again: Dishwasher\. This cannot be undone\.$/);
    expect(sent).toEqual([{ command: "forget_learned" }]);
  });

  test("a plan shows its saving of this month after a run", async () => {
    await daemon.clock.runUntil(Date.parse("2026-03-11T08:00:00Z"));
    await screen.untilText("#plans", /This month: 1 run, 3 h · cost DKK \d\.\d\d · saved DKK \d\.\d\d/);
    await screen.picture("plans-month-phone");
  });

  test("a round of a plan can be skipped", async () => {
    await card("Dishwasher").getByRole("button", { name: "Skip" }).click();
    await screen.untilText("#plans", /Dishwasher .*Skipped/);
    expect((await plan(daemon, "dishwasher")).state).toBe("skipped");
    await undo("Skipped: Dishwasher");
    await screen.untilText("#plans", /Dishwasher .*Planned/);
    expect((await plan(daemon, "dishwasher")).state).toBe("scheduled");
  });
});
