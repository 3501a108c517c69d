import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDashboard } from "../support/browser/dashboard-daemon.ts";
import { haveChromium, type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";

interface ToldPlan {
  readonly id: string;
  readonly state: string;
  readonly on: boolean;
  readonly settings: Readonly<Record<string, { readonly value: unknown; readonly changed: boolean }>>;
}

async function plan(daemon: TestDaemon, id: string): Promise<ToldPlan> {
  return (await (await daemon.request(`/local/v1/plans/${id}`)).json()) as ToldPlan;
}

describe.skipIf(!haveChromium)("plans on the dashboard (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;
  let screen: Screen;

  beforeAll(async () => {
    screens = await Screens.start();
  });
  afterAll(async () => {
    await screens?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    daemon = await startDashboard({ start: "2026-03-10T18:30:00Z" });
    screen = await screens.look(daemon, { size: "phone" });
    await screen.untilText("#plans", /Dishwasher Planned/);
    return async () => {
      await screen[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    };
  });

  const card = (name: string) => screen.page.getByRole("article", { name });

  test("a plan shows its next run, its mean price and its saving", async () => {
    const text = (await card("Dishwasher").textContent())?.replace(/\s+/g, " ") ?? "";
    expect(text).toMatch(/(today|tomorrow|Today|Tomorrow) \d\d:\d\d–\d\d:\d\d/);
    expect(text).toMatch(
      /Planned at the cheapest time · DKK \d\.\d\d\/kWh on average · DKK \d\.\d\d\/kWh cheaper than/,
    );
    await screen.picture("plans-phone");
  });

  test("a plan can be disabled and enabled", async () => {
    const enabled = card("Dishwasher").getByRole("switch", { name: "Dishwasher: enabled" });
    await enabled.uncheck();
    await screen.untilText("#plans", /Dishwasher Disabled/);
    expect((await plan(daemon, "dishwasher")).settings.enabled).toMatchObject({ value: false, changed: true });
    await enabled.check();
    await screen.untilText("#plans", /Dishwasher Planned/);
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
    await dishwasher.getByRole("status").filter({ hasText: "Saved." }).waitFor();
    expect((await plan(daemon, "dishwasher")).settings).toMatchObject({
      hours: { value: 2.5, changed: true },
      ready_by: { value: "06:30", changed: true },
      max_price: { value: 1.75, changed: true },
      from: { value: "20:00", changed: false },
    });
    await dishwasher.getByRole("button", { name: "Reset to the file’s value" }).first().click();
    await screen.until("document.querySelector('#plan-dishwasher-hours').value === '3'");
    expect((await plan(daemon, "dishwasher")).settings.hours).toMatchObject({ value: 3, changed: false });
  });

  test.each(["en-GB", "da-DK"])("in %s a decimal is typed with a comma or a point", async (language) => {
    await using other = await screens.look(daemon, { size: "phone", language });
    await other.untilText("#plans", /Dishwasher/);
    const dishwasher = other.page.getByRole("article", { name: "Dishwasher" });
    const [hours, price] = ["hours", "max_price"].map((name) => other.page.locator(`#plan-dishwasher-${name}`));
    if (!hours || !price) throw new Error("a plan without fields");
    await dishwasher.locator("summary").click();
    await typeKeys(hours, "1,5");
    await typeKeys(price, "0.75 kr");
    await dishwasher.locator("button[type=submit]").click();
    await dishwasher
      .getByRole("alert")
      .filter({ hasText: /number|tal/ })
      .waitFor();
    await typeKeys(price, "0.75");
    expect([await hours.inputValue(), await price.inputValue()]).toEqual(["1,5", "0.75"]);
    await dishwasher.locator("button[type=submit]").click();
    await dishwasher
      .getByRole("status")
      .filter({ hasText: /Saved|Gemt/ })
      .waitFor();
    expect((await plan(daemon, "dishwasher")).settings).toMatchObject({
      hours: { value: 1.5 },
      max_price: { value: 0.75 },
    });
  });

  test("an impossible value is refused with a message, and nothing changes", async () => {
    const dishwasher = card("Dishwasher");
    await dishwasher.getByText("Adjust", { exact: true }).click();
    await typeKeys(dishwasher.getByLabel("Hours"), "20");
    await dishwasher.getByRole("button", { name: "Save" }).click();
    await dishwasher
      .getByRole("status")
      .filter({ hasText: /Refused: .*at most/ })
      .waitFor();
    expect((await plan(daemon, "dishwasher")).settings.hours).toMatchObject({ value: 3, changed: false });
  });

  test("a refusal is in the language of the page, with the detail in brackets", async () => {
    await using danish = await screens.look(daemon, { size: "phone", language: "da-DK" });
    await danish.untilText("#plans", /Dishwasher Planlagt/);
    const dishwasher = danish.page.getByRole("article", { name: "Dishwasher" });
    const text = dishwasher.getByRole("status");
    await dishwasher.getByText("Justér", { exact: true }).click();
    await typeKeys(dishwasher.getByLabel("Timer"), "20");
    await dishwasher.getByRole("button", { name: "Gem" }).click();
    await text
      .filter({ hasText: /^Afvist: Der er ikke plads til timerne .*\(.*der er kun .* timer mellem .*\)$/ })
      .waitFor();
    await dishwasher.getByRole("switch").uncheck();
    await danish.untilText("#plans", /Dishwasher Slået fra/);
    await dishwasher.getByRole("button", { name: "Kør nu" }).click();
    await text.filter({ hasText: /^Afvist: Planen er slået fra. Slå den til først.$/ }).waitFor();
  });

  test("a plan can be started and stopped", async () => {
    await card("Car").getByRole("button", { name: "Run now" }).click();
    await screen.untilText("#plans", /Car Running .*Started manually/);
    expect(await plan(daemon, "car")).toMatchObject({ on: true });
    await screen.picture("plans-running-phone");
    await card("Car").getByRole("button", { name: "Stop" }).click();
    await screen.untilText("#plans", /Car Skipped .*Stopped/);
    expect(await plan(daemon, "car")).toMatchObject({ on: false });
  });

  test("a round of a plan can be skipped", async () => {
    await card("Dishwasher").getByRole("button", { name: "Skip" }).click();
    await screen.untilText("#plans", /Dishwasher Skipped/);
    expect((await plan(daemon, "dishwasher")).state).toBe("skipped");
  });

  test("a change over MQTT is shown, but a field that is being edited keeps its text", async () => {
    const dishwasher = card("Dishwasher");
    await dishwasher.getByText("Adjust", { exact: true }).click();
    await typeKeys(dishwasher.getByLabel("Hours"), "2");
    await daemon.watcher.publish("elbro/home/plan/dishwasher/ready_by/set", "05:45");
    await screen.until("document.querySelector('#plan-dishwasher-ready_by').value === '05:45'");
    expect(await dishwasher.getByLabel("Hours").inputValue()).toBe("2");
  });

  test("a plan shows its saving of this month after a run", async () => {
    await daemon.clock.runUntil(Date.parse("2026-03-11T08:00:00Z"));
    await screen.untilText("#plans", /This month: 1 run, 3 h · cost DKK \d\.\d\d · saved DKK \d\.\d\d/);
    await screen.picture("plans-month-phone");
  });
});
