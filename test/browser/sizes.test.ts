import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VIEWS } from "../../src/dashboard/route.ts";
import { DASHBOARD_PLANS, dashboardApi, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { axeViolations, MISFITS, OVERLAPS, WRAPPED } from "../support/browser/page-checks.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import { openView } from "../support/browser/views.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { planEntry } from "../support/plans/plan-topics.ts";
import { lacks } from "../support/runner/needs.ts";

const SIZES_SHOWN = ["phone", "pad", "wide"] as const;

const START = Date.parse("2026-03-10T14:20:00Z");

const PLANS = [
  ...DASHBOARD_PLANS,
  planEntry({ name: "Gulvvarmeanlægget i det store badeværelse", id: "floor", kind: "avoid", hours: 4 }),
];

/** Free space to the right of a view. Unit: CSS pixels. */
const RIGHT_MARGIN = (view: string) =>
  `document.documentElement.clientWidth - document.querySelector("#${view}").getBoundingClientRect().right`;

describe.skipIf(lacks("Chromium"))("the dashboard at every size (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let largeText: Screens;
  let daemon: TestDaemon;

  beforeAll(async () => {
    screens = await Screens.start();
    largeText = await Screens.start({ textPercent: 200 });
    daemon = await startDashboard({ start: "2026-03-10T13:20:00Z", plans: PLANS });
    await daemon.untilTomorrow();
    await daemon.clock.runUntil(Date.parse("2026-03-10T15:20:00Z"));
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
    await largeText?.[Symbol.asyncDispose]();
  });

  test("no view has broken words or an empty half, at any size", async () => {
    await using screen = await screens.look(daemon, { language: "da-DK" });
    const found: string[] = [];
    for (const view of VIEWS) {
      await openView(screen, view);
      for (const size of SIZES_SHOWN) {
        await screen.resize(size);
        for (const check of [MISFITS, BROKEN_WORDS])
          found.push(...((await screen.page.evaluate(check)) as string[]).map((each) => `${view} ${size}: ${each}`));
        expect(await screen.page.evaluate(RIGHT_MARGIN(view)), `${view} ${size}`).toBeLessThanOrEqual(17);
      }
    }
    expect(found).toEqual([]);
  });

  test("text of 200 %: nothing is cut off or overlaps", async () => {
    await using screen = await largeText.look(daemon, { language: "da-DK" });
    const found: string[] = [];
    for (const view of VIEWS) {
      await openView(screen, view);
      for (const size of SIZES_SHOWN) {
        await screen.resize(size);
        expect(await screen.page.evaluate("getComputedStyle(document.body).fontSize")).toBe("32px");
        await screen.picture(`sizes-200-${view}-${size}`);
        for (const check of [MISFITS, OVERLAPS])
          found.push(...((await screen.page.evaluate(check)) as string[]).map((each) => `${view} ${size}: ${each}`));
      }
    }
    expect(found).toEqual([]);
  });

  test("the dashboard at every size figures next to each other are on one line, also if a name takes two", async () => {
    await using screen = await screens.look(daemon, { size: "phone", language: "da-DK" });
    await openView(screen, "use");
    const rows = (await screen.page.evaluate(`Object.values(Object.groupBy(
      [...document.querySelectorAll("#use .use-card .facts > div")],
      (fact) => fact.getBoundingClientRect().top,
    )).map((row) => row.map((fact) => fact.querySelector("dd").getBoundingClientRect().top))`)) as number[][];
    expect(rows[0]).toHaveLength(2);
    for (const tops of rows) expect(new Set(tops).size).toBe(1);
  });

  test("the open table of prices is whole at every size", async () => {
    await using screen = await screens.look(daemon);
    await openView(screen, "prices");
    await screen.page.locator("#prices summary").click();
    await screen.page.locator("#prices tbody tr").first().waitFor();
    expect(await screen.page.locator("#prices tbody th .whole").count()).toBeGreaterThan(90);
    for (const size of SIZES_SHOWN) {
      await screen.resize(size);
      expect(await screen.page.evaluate(MISFITS), size).toEqual([]);
      expect(await screen.page.evaluate(WRAPPED), size).toEqual([]);
      await screen.picture(`table-${size}`);
    }
  });

  test("twelve plans fit on a screen of 1440 x 900, and on two of a phone", async () => {
    const names = [..."ABCDEFGHIJKL"].map((letter) => `Apparat ${letter}`);
    const plans = names.map((name) => planEntry({ name, kind: "window", hours: 2, from: "20:00", ready_by: "07:00" }));
    await using many = await startDashboard({ start: "2026-03-10T15:20:00Z", plans });
    await using screen = await screens.look(many, { size: "wide", language: "da-DK", view: "plans" });
    await screen.untilText("#plans", /Apparat L/);
    const bottom = () =>
      screen.page.evaluate("document.querySelector('.plan-rows').getBoundingClientRect().bottom + scrollY");
    expect(await bottom()).toBeLessThanOrEqual(900);
    await screen.picture("plans-12-wide");
    await screen.resize("phone");
    await screen.picture("plans-12-phone");
    // The bar of the views covers the lowest part of each screen.
    expect(await bottom()).toBeLessThanOrEqual(2 * (780 - 58));
  });

  test("the lanes of twenty plans scroll, also with the keyboard, and the prices above them stay in view", async () => {
    const plans = Array.from({ length: 20 }, (_, i) => planEntry({ name: `Plan ${i + 1}`, kind: "slots", hours: 2 }));
    await using many = await startDashboard({ start: "2026-03-10T15:20:00Z", plans });
    await using screen = await screens.look(many, { view: "prices" });
    const lanes = screen.page.locator("#prices .lanes");
    for (const size of SIZES_SHOWN) {
      await screen.resize(size);
      await screen.page.locator("#prices .plot").scrollIntoViewIfNeeded();
      await lanes.press("Home");
      await screen.until("document.querySelector('.lanes').scrollTop === 0");
      await lanes.press("End");
      const inView = "document.querySelector('.lanes').getBoundingClientRect().bottom";
      await screen.until(`document.querySelector('.lane:last-child').getBoundingClientRect().bottom <= ${inView} + 1`);
      const top = "document.querySelector('#prices .plot').getBoundingClientRect().top";
      expect(Number(await screen.page.evaluate(`${inView} - ${top}`)), size).toBeLessThan(780 - 58);
    }
    await screen.picture("lanes-20-wide");
    expect(await axeViolations(screen)).toEqual([]);
  });

  describe("without a home because of a wrong key", () => {
    let wrong: TestDaemon;
    beforeAll(async () => {
      const faults = [{ fault: "status", operation: "*", status: 401, errorCode: "invalid_token" }] as const;
      const config = { plans: PLANS, api: dashboardApi() };
      wrong = await TestDaemon.start({ start: START, simulator: { homes: ["danish"], faults }, config });
      await wrong.clock.runUntil(START + 20 * 60_000);
    });
    afterAll(() => wrong?.[Symbol.asyncDispose]());

    test("the page shows the reason and the waiting plans, at every size", async () => {
      await using screen = await screens.look(wrong, { language: "da-DK" });
      await screen.untilText("#now", /Hjemmet kendes ikke endnu .*Tjenesten kender ikke/);
      // There is no link to a view that is empty.
      const links = screen.page.locator("#parts a:visible");
      expect(await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")))).toEqual([
        "#now",
        "#plans",
        "#system",
      ]);
      // The error of the service is a detail, so it is shown under System only.
      expect(await screen.text("#now")).not.toContain("invalid_token");
      for (const [view, text] of [
        ["now", /API-nøgle/],
        ["plans", /4 planer venter, til deres hjem kendes: Dishwasher, Hot water, Car, Gulvvarme/],
        ["system", /Teknisk detalje: 401 invalid_token/],
      ] as const) {
        await screen.page.evaluate(`location.hash = "${view}"`);
        await screen.untilText(`#${view}`, text);
        expect(await screen.text(`#${view}`)).not.toContain("Ingen planer");
        for (const size of SIZES_SHOWN) {
          await screen.resize(size);
          await screen.picture(`wrong-key-${view}-${size}`);
          expect(await screen.page.evaluate(MISFITS), `${view} ${size}`).toEqual([]);
        }
        expect(await axeViolations(screen), view).toEqual([]);
      }
    });

    test("the page shows prices and plans as soon as the key is accepted", async () => {
      await using screen = await screens.look(wrong);
      await screen.untilText("#now", /Your home is not known yet/);
      wrong.simulator.setFaults([]);
      await wrong.clock.runUntil(START + 13 * 3_600_000);
      await screen.untilText("#now .price", /\d/);
      await screen.untilText("#now .next-runs", /All 4 plans/);
    });
  });

  test("the page is complete even if its texts load last", async () => {
    await using screen = await screens.visit(`${daemon.url}/`);
    await screen.signIn(LAN_KEY);
    const answered = screen.page.waitForResponse(/local\/v1\/system/);
    await screen.page.route("**/texts-*-page.json", async (route) => {
      await (await answered).finished();
      await screen.page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
      await route.continue();
    });
    await screen.page.goto(screen.url);
    await screen.untilText("#now .price", /\d/);
    await screen.untilText("#now .next-runs", /Dishwasher/);
    expect(screen.errors).toEqual([]);
  });

  test("before the first response of the service the page says that it is waiting", async () => {
    await using early = await TestDaemon.start({
      start: START,
      simulator: { homes: ["danish"], faults: [{ fault: "status", operation: "*", status: 503 }] },
      config: { plans: PLANS, api: dashboardApi() },
    });
    await using screen = await screens.look(early, { size: "phone" });
    await screen.untilText(
      "#now",
      /Your home is not known yet (elbro is asking the service for your addresses|The service has not listed)/,
    );
    await screen.picture("no-home-phone");
  });

  test("a silent plug with a long name is not cut, on any screen", async () => {
    const name = "Bilens ladestander i carporten ved siden af huset";
    const plug = { name, family: "tasmota" as const, topic: "car", plan: "car" };
    await using own = await TestDaemon.start({
      start: START,
      simulator: { homes: ["danish"] },
      config: { plans: PLANS, plugs: [plug], api: dashboardApi() },
    });
    await own.untilPriced();
    await own.clock.runUntil(START + 30 * 60_000);
    await using screen = await screens.look(own, { language: "da-DK" });
    for (const [view, text] of [
      ["now", /Stikkontakten Bilens ladestander/],
      ["plans", /Bilens ladestander i carporten/],
      ["system", /Stikkontakten Bilens ladestander/],
    ] as const) {
      await screen.page.evaluate(`location.hash = "${view}"`);
      await screen.untilText(`#${view}`, text);
      for (const size of SIZES_SHOWN) {
        await screen.resize(size);
        await screen.picture(`long-plug-${view}-${size}`);
        expect(await screen.page.evaluate(MISFITS), `${view} ${size}`).toEqual([]);
        expect(await screen.page.evaluate(OVERLAPS), `${view} ${size}`).toEqual([]);
      }
    }
  });

  test("several problems are one line on the overview: the newest, and a link to the others", async () => {
    await using own = await startDashboard({
      start: "2026-03-10T14:20:00Z",
      plans: PLANS.map((plan, i) => (i < 2 ? { ...plan, home: `home-${i}` } : plan)),
    });
    own.simulator.setFaults([{ fault: "status", operation: "*", status: 401, errorCode: "invalid_token" }]);
    await own.clock.runUntil(Date.parse("2026-03-11T13:40:00Z"));
    await using screen = await screens.look(own, { size: "phone" });
    await screen.untilText("#now .problems", /\(and 1 more\) .*1 more problem/);
    await screen.picture("problems-phone");
    await expect.poll(() => screen.page.locator("#now .problem:visible").count()).toBe(1);
    const { bottom } = (await screen.page.evaluate(
      "document.querySelector('#now .price').getBoundingClientRect().toJSON()",
    )) as { bottom: number };
    expect(bottom).toBeLessThan(780 * 0.75);
    await screen.page.getByRole("link", { name: "1 more problem" }).click();
    await screen.untilText("#system .problem >> nth=0", /\w/);
    await screen.until("document.querySelector('#problems').getBoundingClientRect().top < innerHeight / 2");
  });

  describe("late in the evening", () => {
    let late: TestDaemon;
    beforeAll(async () => {
      late = await startDashboard({ start: "2026-03-10T13:20:00Z", plans: [] });
      await late.untilTomorrow();
      // The next change is tomorrow.
      await late.clock.runUntil(Date.parse("2026-03-10T22:40:00Z"));
    });
    afterAll(() => late?.[Symbol.asyncDispose]());

    test.each([
      ["da-DK", /(Falder|Stiger) til [a-z ]+ (i morgen )?kl\. \d\d\.\d\d, cirka/, /til (i morgen )?kl\./],
      ["sv-SE", /(Sjunker|Stiger) till [a-z ]+ (i morgon )?kl\. \d\d:\d\d, cirka/, /till (i morgon )?kl\./],
      ["nb-NO", /(Faller|Stiger) til [a-z ]+ (i morgen )?kl\. \d\d:\d\d, omtrent/, /til (i morgen )?kl\./],
      ["en-GB", /(Falls|Rises) to [a-z ]+ (tomorrow )?at \d\d:\d\d, about/, /until/],
    ])("%s: the outlook names tomorrow and the time in that language", async (language, changes, stays) => {
      await using screen = await screens.look(late, { language });
      const text = await screen.untilText("#now .outlook", /\d/);
      expect(text).toMatch(/tomorrow|i morgen|i morgon/);
      expect(changes.test(text) || stays.test(text)).toBe(true);
    });
  });

  test("axes have units, and the labels of the usage chart are centred below their bars", async () => {
    await using screen = await screens.visit(`${daemon.url}/`, { size: "wide" });
    await screen.signIn(LAN_KEY);
    await screen.page.goto(`${daemon.url}/#prices`);
    await openView(screen, "prices");
    const prices = (await textsOf(screen, "prices")).map(({ text }) => text);
    expect(prices).toEqual(expect.arrayContaining(["DKK/kWh", "12:00"]));
    expect(prices).toContainEqual(expect.stringMatching(/^Tue,? 10 Mar$/));
    expect(prices).toContainEqual(expect.stringMatching(/^Wed,? 11 Mar$/));
    await openView(screen, "use");
    const texts = await textsOf(screen, "use");
    expect(texts.map(({ text }) => text)).toContain("kWh");
    // March has 31 bars, so the centre of bar n is n - 0.5 bar widths from the left.
    const box = await screen.page.locator("#use .over").boundingBox();
    if (!box) throw new Error("no chart");
    const days = texts.filter(({ text, x }) => x > box.x && /^\d+$/.test(text));
    expect(days.length).toBeGreaterThan(5);
    for (const { text, x } of days)
      expect(Math.abs(x - box.x - (box.width * (Number(text) - 0.5)) / 31)).toBeLessThan(3);
  });
});

/** Returns the texts of a view's chart and the horizontal centre of each, in CSS pixels. */
function textsOf(screen: Screen, view: string): Promise<{ text: string; x: number }[]> {
  return screen.page.locator(`#${view} .plot text`).evaluateAll((found) =>
    found.map((element) => {
      const { left, width } = element.getBoundingClientRect();
      return { text: element.textContent ?? "", x: left + width / 2 };
    }),
  );
}

/** Returns words that are broken over two lines. */
const BROKEN_WORDS = `[...document.querySelectorAll("h3, .plan-lines .name, .choice span, dt, .state")]
  .filter((element) => element.checkVisibility())
  .flatMap((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      for (const { index, 0: word } of walker.currentNode.textContent.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        if (range.getClientRects().length > 1) found.push(word);
      }
    }
    return found;
  })`;
