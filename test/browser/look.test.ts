import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DASHBOARD_PLANS, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { axeViolations, MISFITS, OVERLAPS, SMALL_TARGETS, WRAPPED } from "../support/browser/page-checks.ts";
import { haveChromium, type LookOptions, type Screen, Screens } from "../support/browser/screen.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { planEntry } from "../support/plans/plan-topics.ts";

/** Opens the dashboard and waits until the whole page is loaded and drawn. */
async function whole(screens: Screens, daemon: TestDaemon, options: LookOptions): Promise<Screen> {
  const screen = await screens.look(daemon, options);
  await screen.untilText("#now .price", /\d/);
  await screen.untilText("#system .block >> nth=0", /\d/);
  await screen.page.locator("#use").evaluate("(part) => part.scrollIntoView()");
  await screen.untilText("#use .facts", /\/kWh.*\/kWh/);
  await screen.until("document.querySelector('#use').getAttribute('aria-busy') === null");
  await screen.page.evaluate("window.scrollTo(0, 0)");
  return screen;
}

describe.skipIf(!haveChromium)("appearance of the dashboard (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;

  beforeAll(async () => {
    screens = await Screens.start();
    // The evening before the day of 25 hours, when the page shows all of its parts.
    daemon = await startDashboard({
      start: "2026-10-24T15:20:00Z",
      simulator: { homes: ["danish", "swedish"] },
      plans: [...DASHBOARD_PLANS, planEntry({ name: "Floor heating in the large bathroom", kind: "avoid", hours: 4 })],
    });
    await daemon.untilTomorrow();
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
  });

  const looks: readonly Required<Pick<LookOptions, "size" | "language" | "scheme">>[] = [
    { size: "phone", language: "da-DK", scheme: "light" },
    { size: "phone", language: "sv-SE", scheme: "dark" },
    { size: "phone", language: "nb-NO", scheme: "dark" },
    { size: "phone", language: "en-US", scheme: "light" },
    { size: "tablet", language: "nb-NO", scheme: "light" },
    { size: "wall", language: "da-DK", scheme: "dark" },
    { size: "wall", language: "en-GB", scheme: "light" },
  ];

  test.each(looks)(
    "$size, $language, $scheme: nothing overlaps, is cut off or is too small to tap; axe finds no violation",
    async (look) => {
      await using screen = await whole(screens, daemon, look);
      await screen.picture(`look-${look.size}-${look.language}-${look.scheme}`);
      expect(await screen.page.evaluate(MISFITS)).toEqual([]);
      expect(await screen.page.evaluate(OVERLAPS)).toEqual([]);
      expect(await screen.page.evaluate(SMALL_TARGETS)).toEqual([]);
      expect(await screen.page.evaluate(WRAPPED)).toEqual([]);
      expect(await axeViolations(screen)).toEqual([]);
      expect(screen.errors).toEqual([]);
    },
  );

  test.each(["light", "dark"] as const)("the login page, %s: axe finds no violation", async (scheme) => {
    await using screen = await screens.look(daemon, { size: "phone", scheme, signedIn: false });
    await screen.page.getByRole("heading", { name: "Log in" }).waitFor();
    expect(await axeViolations(screen)).toEqual([]);
    expect(await screen.page.evaluate(MISFITS)).toEqual([]);
    expect(await screen.page.evaluate(SMALL_TARGETS)).toEqual([]);
  });

  test.each([
    ["da-DK", "Pris nu", /^\d,\d\dkr\.\/kWh$/, /\d\d\.\d\d–\d\d\.\d\d/],
    ["sv-SE", "Pris nu", /^\d,\d\dDkr\/kWh$/, /\d\d:\d\d–\d\d:\d\d/],
    ["nb-NO", "Pris nå", /^\d,\d\dDKK\/kWh$/, /\d\d:\d\d–\d\d:\d\d/],
    ["nn", "Pris nå", /^\d,\d\dDKK\/kWh$/, /\d\d:\d\d–\d\d:\d\d/],
    ["en-GB", "Price now", /^\d\.\d\dDKK\/kWh$/, /\d\d:\d\d–\d\d:\d\d/],
    ["en-US", "Price now", /^\d\.\d\dDKK\/kWh$/, /\d\d:\d\d PM–\d\d:\d\d PM/],
    ["fr-FR", "Price now", /^\d\.\d\dDKK\/kWh$/, /\d\d:\d\d–\d\d:\d\d/],
  ])(
    "in %s the page shows %s, with numbers and times in the format of that language",
    async (language, words, price, time) => {
      await using screen = await screens.look(daemon, { language });
      await screen.untilText("#now .price", /\d/);
      expect((await screen.text("#now .price")).replace(/\s/g, "")).toMatch(price);
      expect(await screen.text("#now .when")).toContain(words);
      expect(await screen.text("#now .when")).toMatch(time);
      const { lang } = (await screen.page.evaluate("({ lang: document.documentElement.lang })")) as { lang: string };
      expect(lang).toBe({ fr: "en", nn: "nb" }[language.slice(0, 2)] ?? language.slice(0, 2));
    },
  );

  test("a language chosen in the footer is kept after a reload", async () => {
    await using screen = await screens.look(daemon, { language: "en-GB" });
    await screen.untilText("#now .price", /\d/);
    await screen.page.getByLabel("Language").selectOption("da");
    await screen.untilText("#now .when", /Pris nu/);
    await screen.page.reload();
    await screen.untilText("#now .when", /Pris nu/);
  });

  test("every control can be reached and used with the keyboard only", async () => {
    await using screen = await whole(screens, daemon, { size: "tablet" });
    const reached: string[] = [];
    for (let i = 0; i < 90; i++) {
      await screen.page.keyboard.press("Tab");
      const [name, isVisible] = (await screen.page.evaluate(`(() => {
        const element = document.activeElement;
        const label = element.labels?.[0]?.textContent ?? "";
        const place = element.closest("label") ?? element;
        const ring = getComputedStyle(place).outlineStyle !== "none" || getComputedStyle(element).outlineStyle !== "none";
        return [(element.getAttribute("aria-label") ?? "") + label + element.textContent.slice(0, 30), ring];
      })()`)) as [string, boolean];
      if (name.trim() === "") break;
      expect(`${name}: ${isVisible}`).toBe(`${name}: true`);
      reached.push(name);
    }
    const all = reached.join(" | ");
    for (const wanted of [
      "Now",
      "Home",
      "Both days",
      "Prices of Home",
      "As a table",
      "Dishwasher: enabled",
      "Run now",
      "Adjust",
      "Consumption",
      "Month",
      "Earlier",
      "Diagnostics",
      "Language",
      "Log out",
    ])
      expect(all).toContain(wanted);
    // Arrow keys change choices, the chart has a text for each value, Enter opens a fold.
    await screen.page.locator("#prices").getByRole("radio", { name: "Both days" }).focus();
    await screen.page.keyboard.press("ArrowLeft");
    expect(await screen.page.locator("#prices").getByRole("radio", { name: "Tomorrow" }).isChecked()).toBe(true);
    const slider = screen.page.locator("#prices [role=slider]");
    await slider.focus();
    await screen.page.keyboard.press("End");
    expect(await slider.getAttribute("aria-valuetext")).toMatch(/23:45–00:00/);
    await screen.page.locator("#prices summary").focus();
    await screen.page.keyboard.press("Enter");
    // The browser fires the toggle event of a fold asynchronously.
    await screen.until("document.querySelectorAll('#prices tbody tr').length === 100");
  });

  test("a print has one page and light colours, also with a dark screen", async () => {
    await using screen = await whole(screens, daemon, { size: "wall", scheme: "dark" });
    await screen.page.emulateMedia({ media: "print" });
    await screen.until("getComputedStyle(document.documentElement).getPropertyValue('--card').trim() === '#fff'");
    await screen.picture("print");
    const pdf = await screen.page.pdf({ preferCSSPageSize: true, printBackground: true });
    expect([...pdf.toString("latin1").matchAll(/\/Type\s*\/Page\b/g)]).toHaveLength(1);
  });

  test("the layout does not shift while the page loads", async () => {
    for (const size of ["phone", "wall"] as const) {
      await using screen = await screens.look(daemon, { size, signedIn: true });
      await screen.untilText("#now .price", /\d/);
      await screen.untilText("#system .block >> nth=0", /\d/);
      const shift = (await screen.page.evaluate(`new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; }).observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
      })`)) as number;
      expect([size, shift < 0.1, shift]).toEqual([size, true, shift]);
    }
  });
});
