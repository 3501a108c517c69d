import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlanRefusal, planRefusals } from "../../src/core/planning/command-refusal.ts";
import { MINUTE_MS } from "../../src/core/time/interval.ts";
import { VIEWS, type ViewName } from "../../src/dashboard/route.ts";
import { textFiles } from "../../src/i18n/texts.ts";
import {
  PSEUDO_LANGUAGE,
  routePseudoTexts,
  untranslated,
  usePseudoLanguage,
} from "../support/browser/pseudo-language.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

const START = Date.parse("2026-03-10T14:20:00Z");
const HOUSE = `language: sv
plans:
  - { name: Washer, home: home, kind: window, hours: 2, kwh: 1.4, from: "20:00", ready_by: "07:00" }
  - { name: Car, home: home, kind: slots, hours: 3, kwh: 30 }
  - { name: Freezer, home: home, kind: avoid, hours: 1 }
plugs:
  - { name: Lamp, family: tasmota, topic: lamp, plan: car }
`;
/** Places of the set-up. */
const PLACES = ["DK1", "Algade 1"];
/** Names of the house, and words that are the same in every language. */
const NAMES = [
  ...["Washer", "Car", "Freezer", "Lamp", "washer", "car", "freezer", "lamp", "Home", "home", "kitchen"],
  ...[
    "elbro.yaml",
    "elbro",
    "MQTT",
    "ntfy",
    "kWh",
    "Dansk",
    "Svenska",
    "Norsk",
    "English",
    "Node",
    "Tasmota",
    "Home Assistant",
    "Europe/Copenhagen",
    "test",
  ],
];

describe.skipIf(lacks("Chromium"))("no text is left in English (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;
  let restore: () => void;

  beforeAll(async () => {
    restore = usePseudoLanguage();
    screens = await Screens.start();
    daemon = await TestDaemon.start({ start: START, simulator: { homes: ["danish"] }, yaml: HOUSE });
    await daemon.clock.runUntil(START + 3 * MINUTE_MS);
    await daemon.untilTomorrow();
  });
  afterAll(async () => {
    restore?.();
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
  });

  async function looking(view: ViewName): Promise<Screen> {
    const screen = await screens.visit(`${daemon.url}/`, { language: PSEUDO_LANGUAGE });
    await routePseudoTexts(screen.page);
    await screen.signIn(LAN_KEY);
    await screen.page.goto(screen.url);
    await screen.page.evaluate(`location.hash = "${view}"`);
    await screen.untilText(`#${view}`, /\d/);
    return screen;
  }

  test("in each view, in each of its ranges and measures", async () => {
    await using screen = await looking("now");
    const { page } = screen;
    for (const view of VIEWS) {
      await page.evaluate(`location.hash = "${view}"`);
      await screen.untilText(`#${view}`, /\d/);
      expect([view, await untranslated(page, NAMES)]).toEqual([view, []]);
      const choices = page.locator("fieldset.choice label");
      for (let i = 0; i < (await choices.count()); i++) {
        if (!(await choices.nth(i).isVisible())) continue;
        await choices.nth(i).click();
        expect([view, i, await untranslated(page, NAMES)]).toEqual([view, i, []]);
      }
      // Folds, such as the tables and the settings of plans.
      if (view === "plans") await page.locator(".plan-open").first().click();
      await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
      expect([view, await untranslated(page, NAMES)]).toEqual([view, []]);
    }
  });

  test("on each page of System, with problems and a history", async () => {
    await using screen = await looking("system");
    const send = (method: string, path: string, data: object) =>
      screen.page.request.fetch(`${screen.url}local/v1/${path}`, { method, data, headers: { "X-Elbro-Page": "1" } });
    const washer = { id: "washer", name: "Washer", home: "home", kind: "window", hours: 3, days: ["mon", "sun"] };
    const answers = [
      await send("PUT", "plans/washer", { ...washer, icon: "dryer", when_lost: "keep", from: "20:00" }),
      await send("POST", "plans/washer", { hours: 2, enabled: false }),
      await send("POST", "plans/washer", { enabled: true }),
      await send("POST", "plugs", { id: "heater", name: "Lamp", family: "shelly_gen2", topic: "x", plan: "washer" }),
      await send("DELETE", "plugs/heater", {}),
    ];
    expect(answers.map((answer) => answer.ok())).toEqual(answers.map(() => true));
    await screen.page.reload();
    await screen.untilText("#problems", /⚠ .*Lamp/);
    expect(await untranslated(screen.page, NAMES)).toEqual([]);
    for (const part of ["settings", "keys", "history"]) {
      await screen.page.evaluate(`location.hash = "system/${part}"`);
      await screen.page.locator(`#${part} li, #${part} p`).first().waitFor();
      expect([part, await untranslated(screen.page, NAMES)]).toEqual([part, []]);
    }
  });

  test("in the forms of plans and plugs, and in their errors", async () => {
    await using screen = await looking("plans");
    await screen.page.locator(".plan-open").first().click();
    const { page } = screen;
    const dialog = page.getByRole("dialog");
    for (const name of ["New plan", "Add a plug", "Edit", "Copy", "Delete"]) {
      const buttons = page.getByRole("button", { name: `⟦${name}⟧`, exact: true, includeHidden: true });
      // The first is of a plan, the last of a plug.
      for (const button of [buttons.first(), buttons.last()]) {
        if (!(await button.isVisible())) await page.locator(".plug [aria-expanded]").click();
        await button.click();
        await dialog.locator("form, .actions, .templates").first().waitFor();
        if (name === "New plan") await dialog.locator(".templates button").last().click();
        if (name === "New plan") await dialog.locator("button[type=submit]").click();
        expect([name, await untranslated(page, NAMES)]).toEqual([name, []]);
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
    }
  });

  test("in the forms of settings", async () => {
    await using screen = await looking("system");
    await screen.page.evaluate("location.hash = 'settings'");
    await screen.page.locator("#settings li").first().waitFor();
    const { page } = screen;
    for (const button of await page.locator("#settings .actions button[aria-describedby]").all()) {
      const name = await button.getAttribute("aria-describedby");
      await button.click();
      await page.getByRole("dialog").locator("form").waitFor();
      expect([name, await untranslated(page, NAMES)]).toEqual([name, []]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  test("in refused commands", async () => {
    await using screen = await looking("plans");
    await screen.page.locator(".plan-open").first().click();
    const { page } = screen;
    let refusal = "";
    await page.route("**/local/v1/plans/washer", (route) =>
      route.fulfill({ status: 409, json: { error: true, errorCode: "conflict", reason: "Washer", refusal } }),
    );
    const card = page.getByRole("article", { name: "Washer", exact: true });
    for (refusal of planRefusals) {
      await card.locator("[data-action]").first().click();
      await card
        .getByRole("status")
        .filter({ hasText: `⟦Refused: ${textFiles.sv.page[`refused_${refusal as PlanRefusal}`]}` })
        .waitFor();
      expect([refusal, await untranslated(page, NAMES)]).toEqual([refusal, []]);
    }
  });

  test("in each step of the set-up, and in its errors", async () => {
    await using screen = await looking("now");
    const { page } = screen;
    const session = await (await page.request.get(`${screen.url}local/v1/session`)).json();
    await page.route("**/local/v1/session", (route) => route.fulfill({ json: { ...session, can_set_up: true } }));
    let problem: string | null = "invalid_token";
    const trial = () => ({ works: problem === null, problem, detail: null });
    const addresses = [
      { id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", label: "Home", address: "Algade 1", region: "DK1" },
    ];
    const answers: Readonly<Record<string, () => object>> = {
      "": () => ({ key: "test", urls: [screen.url], broker: null, file: "elbro.yaml" }),
      "/test": () => ({ ...trial(), addresses: problem === null ? addresses : [], suggestions: [] }),
    };
    await page.route("**/local/v1/setup**", (route) => {
      const [, step = ""] = /setup(.*)$/.exec(route.request().url()) ?? [];
      if (route.request().method() === "GET")
        return route.fulfill({ json: { state: "open", file: null, failure: null } });
      return route.fulfill({ status: step === "" ? 201 : 200, json: answers[step]?.() ?? {} });
    });
    await page.goto(screen.url);
    await page.locator(".setup-card button").click();
    const dialog = page.getByRole("dialog");
    const look = async (step: number) =>
      expect([step, await untranslated(page, [...NAMES, ...PLACES, "mqtt://192.168.1.10:1883", screen.url])]).toEqual([
        step,
        [],
      ]);
    await dialog.getByRole("button").nth(1).click();
    await dialog.locator("input").nth(1).waitFor();
    await look(1);
    await dialog.getByRole("button").nth(1).click();
    await dialog.locator("input").nth(1).waitFor({ state: "detached" });
    await dialog.locator("input").fill("not-the-key");
    await dialog.locator("button[type=submit]").click();
    await dialog.getByRole("alert").waitFor();
    await look(1);
    problem = null;
    for (const step of [2, 3, 4, 5]) {
      await dialog.locator("button[type=submit]").click();
      await screen.untilText("dialog .setup-step", new RegExp(` ${step} `));
      await look(step);
    }
  });

  test("in the log-in", async () => {
    await using screen = await screens.visit(`${daemon.url}/`, { language: PSEUDO_LANGUAGE });
    const { page } = screen;
    await routePseudoTexts(page);
    await page.goto(screen.url);
    await page.locator("form button[type=submit]").waitFor();
    await page.locator("input[type=password]").fill("wrong");
    await page.locator("form button[type=submit]").click();
    await screen.untilText("main", /Unknown key/);
    expect(await untranslated(page, NAMES)).toEqual([]);
  });
});
