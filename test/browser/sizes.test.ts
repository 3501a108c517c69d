import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DASHBOARD_PLANS, dashboardApi, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { axeViolations, MISFITS, OVERLAPS, WRAPPED } from "../support/browser/page-checks.ts";
import { haveChromium, type LookOptions, type Screen, Screens } from "../support/browser/screen.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { planEntry } from "../support/plans/plan-topics.ts";

const SIZES_SHOWN = ["phone", "pad", "desk"] as const;
const SCHEMES = ["light", "dark"] as const;
const LOOKS = SIZES_SHOWN.flatMap((size) => SCHEMES.map((scheme) => ({ size, scheme })));

const START = Date.parse("2026-03-10T14:20:00Z");

const PLANS = [
  ...DASHBOARD_PLANS,
  planEntry({ name: "Gulvvarmeanlægget i det store badeværelse", id: "floor", kind: "avoid", hours: 4 }),
];

/** Opens the dashboard and waits until the whole page is loaded and drawn. */
async function whole(screens: Screens, daemon: TestDaemon, options: LookOptions): Promise<Screen> {
  const screen = await screens.look(daemon, options);
  await screen.untilText("#now .price", /\d/);
  await screen.untilText("#system .block >> nth=0", /\d/);
  await screen.page.locator("#use").scrollIntoViewIfNeeded();
  await screen.untilText("#use .facts", /\/kWh.*\/kWh/);
  await screen.page.evaluate("window.scrollTo(0, 0)");
  return screen;
}

/** Free space to the right of the last part of the page. Unit: CSS pixels. */
const RIGHT_MARGIN =
  "document.documentElement.clientWidth - document.querySelector('#system').getBoundingClientRect().right";

describe.skipIf(!haveChromium)("the dashboard at every size (in Chromium; skipped if it is not installed)", () => {
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

  test.each(LOOKS)("$size, $scheme: nothing is cut off, overlaps or is broken", async ({ size, scheme }) => {
    await using screen = await whole(screens, daemon, { size, scheme, language: "da-DK" });
    await screen.picture(`sizes-${size}-${scheme}`);
    expect(await screen.page.evaluate(MISFITS)).toEqual([]);
    expect(await screen.page.evaluate(OVERLAPS)).toEqual([]);
    expect(await screen.page.evaluate(BROKEN_WORDS)).toEqual([]);
  });

  test.each(LOOKS)("$size, $scheme, text of 200 %: nothing is cut off or overlaps", async ({ size, scheme }) => {
    await using screen = await whole(largeText, daemon, { size, scheme, language: "da-DK" });
    expect(await screen.page.evaluate("getComputedStyle(document.body).fontSize")).toBe("32px");
    await screen.picture(`sizes-200-${size}-${scheme}`);
    expect(await screen.page.evaluate(MISFITS)).toEqual([]);
    expect(await screen.page.evaluate(OVERLAPS)).toEqual([]);
  });

  test("the dashboard at every size figures next to each other are on one line, also if a name takes two", async () => {
    await using screen = await whole(screens, daemon, { size: "phone", language: "da-DK" });
    const rows = (await screen.page.evaluate(`Object.values(Object.groupBy(
      [...document.querySelectorAll("#use .facts > div")],
      (fact) => fact.getBoundingClientRect().top,
    )).map((row) => row.map((fact) => fact.querySelector("dd").getBoundingClientRect().top))`)) as number[][];
    expect(rows[0]).toHaveLength(2);
    for (const tops of rows) expect(new Set(tops).size).toBe(1);
  });

  test("at 1440 px cards fill at least two thirds of each column above Results", async () => {
    await using screen = await whole(screens, daemon, { size: "desk" });
    const filled = (await screen.page.evaluate(FILLED)) as number[];
    expect(filled).toHaveLength(3);
    for (const share of filled) expect(share).toBeGreaterThan(0.66);
  });

  test.each(LOOKS)("$size, $scheme: axe finds no violation in the open table", async ({ size, scheme }) => {
    await using screen = await whole(screens, daemon, { size, scheme });
    await screen.page.locator("#prices summary").click();
    await screen.page.locator("#prices tbody tr").first().waitFor();
    expect(await axeViolations(screen)).toEqual([]);
    expect(await screen.page.evaluate(MISFITS)).toEqual([]);
    expect(await screen.page.locator("#prices tbody th .whole").count()).toBeGreaterThan(90);
    expect(await screen.page.evaluate(WRAPPED)).toEqual([]);
    await screen.picture(`table-${size}-${scheme}`);
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

    test.each(LOOKS)("$size, $scheme: the page shows the reason and the waiting plans", async ({ size, scheme }) => {
      await using screen = await screens.look(wrong, { size, scheme, language: "da-DK" });
      await screen.untilText("#now", /Hjemmet kendes ikke endnu .*Tjenesten kender ikke API-nøglen/);
      await screen.untilText("#plans", /4 planer venter, til deres hjem kendes: dishwasher, hot_water, car, floor/);
      expect(await screen.text("#plans")).not.toContain("Ingen planer");
      // There is no link to a part that is empty.
      const links = screen.page.locator("#parts a:visible");
      expect(await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")))).toEqual([
        "#now",
        "#plans",
        "#system",
      ]);
      await screen.picture(`wrong-key-${size}-${scheme}`);
      expect(await screen.page.evaluate(RIGHT_MARGIN)).toBeLessThanOrEqual(16);
      expect(await screen.page.evaluate(MISFITS)).toEqual([]);
      expect(await axeViolations(screen)).toEqual([]);
      // The error of the service is a detail, so it is shown under System only.
      expect(await screen.text("#now")).not.toContain("invalid_token");
      await screen.untilText("#system .problem", /Teknisk detalje: 401 invalid_token/);
    });

    test("the page shows prices and plans as soon as the key is accepted", async () => {
      await using screen = await screens.look(wrong);
      await screen.untilText("#now", /Your home is not known yet/);
      wrong.simulator.setFaults([]);
      await wrong.clock.runUntil(START + 13 * 3_600_000);
      await screen.untilText("#now .price", /\d/);
      await screen.untilText("#plans", /Dishwasher/);
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
    await screen.untilText("#plans", /Dishwasher/);
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
    for (const size of SIZES_SHOWN) {
      await using screen = await screens.look(own, { size, language: "da-DK" });
      await screen.untilText("#now .problems", /Stikkontakten Bilens ladestander/);
      await screen.untilText("#system", /bilens_ladestander_i_carporten_ved_siden_af_huset ✕ /);
      await screen.picture(`long-plug-${size}`);
      expect(await screen.page.evaluate(MISFITS), size).toEqual([]);
      expect(await screen.page.evaluate(OVERLAPS), size).toEqual([]);
    }
  });

  test("several problems are shown below the price: the first one in full, the others in a fold", async () => {
    await using own = await startDashboard({
      start: "2026-03-10T14:20:00Z",
      plans: PLANS.map((plan, i) => (i < 2 ? { ...plan, home: `home-${i}` } : plan)),
    });
    own.simulator.setFaults([{ fault: "status", operation: "*", status: 401, errorCode: "invalid_token" }]);
    await own.clock.runUntil(Date.parse("2026-03-11T13:40:00Z"));
    await using screen = await screens.look(own, { size: "phone" });
    await screen.untilText("#now .problems", /2 more problems/);
    await screen.picture("problems-phone");
    expect(await screen.page.locator("#now .problem:visible").count()).toBe(1);
    const { bottom } = (await screen.page.evaluate(
      "document.querySelector('#now .price').getBoundingClientRect().toJSON()",
    )) as { bottom: number };
    expect(bottom).toBeLessThan(780 / 2);
    await screen.page.locator("#now").getByText("2 more problems").click();
    expect(await screen.page.locator("#now .problem:visible").count()).toBe(3);
  });

  test.each([
    ["da-DK", /(Falder|Stiger) til [a-z ]+ (i morgen )?kl\. \d\d\.\d\d, cirka/, /til (i morgen )?kl\./],
    ["sv-SE", /(Sjunker|Stiger) till [a-z ]+ (i morgon )?kl\. \d\d:\d\d, cirka/, /till (i morgon )?kl\./],
    ["nb-NO", /(Faller|Stiger) til [a-z ]+ (i morgen )?kl\. \d\d:\d\d, omtrent/, /til (i morgen )?kl\./],
    ["en-GB", /(Falls|Rises) to [a-z ]+ (tomorrow )?at \d\d:\d\d, about/, /until/],
  ])("%s: the outlook names tomorrow and the time in that language", async (language, changes, stays) => {
    // Late in the evening, so that the next change is tomorrow.
    await using late = await startDashboard({ start: "2026-03-10T13:20:00Z", plans: [] });
    await late.untilTomorrow();
    await late.clock.runUntil(Date.parse("2026-03-10T22:40:00Z"));
    await using screen = await screens.look(late, { language });
    const text = await screen.untilText("#now .outlook", /\d/);
    expect(text).toMatch(/tomorrow|i morgen|i morgon/);
    expect(changes.test(text) || stays.test(text)).toBe(true);
  });

  test("axes have units, and the labels of the usage chart are centred below their bars", async () => {
    await using screen = await whole(screens, daemon, { size: "desk" });
    await screen.page.addInitScript(NOTE_CANVAS_TEXTS);
    await screen.page.reload();
    await screen.untilText("#now .price", /\d/);
    await screen.page.evaluate("document.getElementById('use')?.scrollIntoView()");
    await screen.untilText("#use .facts", /\/kWh.*\/kWh/);
    const texts = (await screen.page.evaluate("window.canvasTexts")) as CanvasText[];
    const shown = texts.map(({ text }) => text);
    expect(shown).toContain("DKK/kWh");
    expect(shown).toContain("kWh");
    expect(shown).toContain("12:00");
    expect(shown).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Tue,? 10 Mar$/), expect.stringMatching(/^Wed,? 11 Mar$/)]),
    );
    // March has 31 bars, so the centre of bar n is n - 0.5 bar widths from the left.
    const box = (await screen.page.evaluate(`(() => {
      const over = document.querySelector("#use .u-over").getBoundingClientRect();
      const canvas = document.querySelector("#use canvas").getBoundingClientRect();
      return { left: over.left - canvas.left, width: over.width };
    })()`)) as { left: number; width: number };
    const days = texts.filter(({ text, x, inUse }) => inUse && x > box.left && /^\d+$/.test(text));
    expect(days.length).toBeGreaterThan(5);
    for (const { text, x } of days) expect(x).toBeCloseTo(box.left + (box.width * (Number(text) - 0.5)) / 31, -0.5);
  });
});

interface CanvasText {
  readonly text: string;
  readonly x: number;
  readonly inUse: boolean;
}

/** Records the texts on canvases and their positions in CSS pixels. */
const NOTE_CANVAS_TEXTS = `{
  window.canvasTexts = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const at = this.getTransform().transformPoint({ x, y });
    window.canvasTexts.push({ text, x: at.x / devicePixelRatio, inUse: this.canvas.closest("#use") !== null });
    return fillText.call(this, text, x, y, ...rest);
  };
}`;

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

/** Returns the share of the height above Results that cards fill, for each column. */
const FILLED = `(() => {
  const top = document.querySelector("main").getBoundingClientRect().top;
  const bottom = document.querySelector("#results").getBoundingClientRect().top;
  return ["#now", ".middle", "#plans"].map((column) =>
    [...document.querySelectorAll(column + " .card")].reduce((sum, card) => sum + card.getBoundingClientRect().height, 0) / (bottom - top));
})()`;
