import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VIEWS, type ViewName } from "../../src/dashboard/route.ts";
import { DASHBOARD_PLANS, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { MISFITS, OVERLAPS, SMALL_TARGETS, violationsInBothSchemes, WRAPPED } from "../support/browser/page-checks.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import { openView } from "../support/browser/views.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { planEntry } from "../support/plans/plan-topics.ts";
import { lacks } from "../support/runner/needs.ts";

describe.skipIf(lacks("Chromium"))("appearance of the dashboard (in Chromium; skipped if it is not installed)", () => {
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

  test("light and dark: axe finds no violation in any view", async () => {
    await using screen = await screens.look(daemon, { size: "phone", language: "da-DK" });
    for (const view of VIEWS) {
      await openView(screen, view);
      if (view === "plans") await screen.page.locator(".plan-open").first().click();
      if (view === "prices") {
        await screen.page.locator("#prices summary").click();
        await screen.page.locator("#prices tbody tr").first().waitFor();
        await screen.page.evaluate(HIDE_REPEATED_ROWS);
      }
      expect(await violationsInBothSchemes(screen), view).toEqual([]);
    }
    expect(screen.errors).toEqual([]);
  });

  test.each([
    ["da-DK", "Pris nu", /^\d,\d\dkr\.\/kWh$/, /\d\d\.\d\d–\d\d\.\d\d/, ["phone", "wall"]],
    ["sv-SE", "Pris nu", /^\d,\d\dDkr\/kWh$/, /\d\d:\d\d–\d\d:\d\d/, ["phone", "wide"]],
    ["nb-NO", "Pris nå", /^\d,\d\dDKK\/kWh$/, /\d\d:\d\d–\d\d:\d\d/, ["phone", "pad"]],
    ["nn", "Pris nå", /^\d,\d\dDKK\/kWh$/, /\d\d:\d\d–\d\d:\d\d/, []],
    ["en-GB", "Price now", /^\d\.\d\dDKK\/kWh$/, /\d\d:\d\d–\d\d:\d\d/, []],
    ["en-US", "Price now", /^\d\.\d\dDKK\/kWh$/, /\d\d:\d\d PM–\d\d:\d\d PM/, ["phone", "tablet"]],
    ["fr-FR", "Price now", /^\d\.\d\dDKK\/kWh$/, /\d\d:\d\d–\d\d:\d\d/, []],
  ] as const)(
    "in %s the page shows %s, with numbers and times in the format of that language, and nothing overlaps, is cut off or is too small to tap",
    async (language, words, price, time, sizes) => {
      await using screen = await screens.look(daemon, { language });
      await screen.untilText("#now .price", /\d/);
      expect((await screen.text("#now .price")).replace(/\s/g, "")).toMatch(price);
      expect(await screen.text("#now .when")).toContain(words);
      expect(await screen.text("#now .when")).toMatch(time);
      const { lang } = (await screen.page.evaluate("({ lang: document.documentElement.lang })")) as { lang: string };
      expect(lang).toBe({ fr: "en", nn: "nb" }[language.slice(0, 2)] ?? language.slice(0, 2));
      const found: string[] = [];
      for (const view of sizes.length === 0 ? [] : VIEWS) {
        await openView(screen, view);
        for (const size of sizes) {
          await screen.resize(size);
          await screen.picture(`look-${view}-${size}-${language}`);
          for (const check of [MISFITS, OVERLAPS, SMALL_TARGETS, WRAPPED])
            found.push(...((await screen.page.evaluate(check)) as string[]).map((each) => `${view} ${size}: ${each}`));
        }
      }
      expect(found).toEqual([]);
      expect(screen.errors).toEqual([]);
    },
  );

  test("each view has an address, a title, a marked link, and the back button returns to the view before", async () => {
    await using screen = await screens.look(daemon, { size: "phone" });
    await screen.untilText("#now .price", /\d/);
    const title = () => screen.page.title();
    expect(await title()).toBe("elbro · electricity at home");
    await screen.show("plans");
    expect(await title()).toBe("Plans · elbro");
    expect(new URL(screen.page.url()).hash).toBe("#plans");
    expect(await screen.text('#parts [aria-current="page"]')).toBe("Plans");
    await screen.show("system");
    await screen.page.goBack();
    await screen.page.locator("#plans").waitFor();
    expect(await title()).toBe("Plans · elbro");
    await expect.poll(() => screen.page.locator("#system").count()).toBe(0);
    // Links to parts of a view open that view.
    await screen.page.evaluate("location.hash = 'plugs'");
    await screen.page.locator("#plugs-title").waitFor();
    await screen.page.evaluate("location.hash = 'unknown'");
    await screen.untilText("#now .price", /\d/);
  });

  test("the login page, light and dark: axe finds no violation", async () => {
    await using screen = await screens.look(daemon, { size: "phone", signedIn: false });
    await screen.page.getByRole("heading", { name: "Log in" }).waitFor();
    expect(await violationsInBothSchemes(screen)).toEqual([]);
    expect(await screen.page.evaluate(MISFITS)).toEqual([]);
    expect(await screen.page.evaluate(SMALL_TARGETS)).toEqual([]);
  });

  test("a language chosen in the footer is kept after a reload", async () => {
    await using screen = await screens.look(daemon, { language: "en-GB" });
    await screen.untilText("#now .price", /\d/);
    await screen.page.getByLabel("Language").selectOption("da");
    await screen.untilText("#now .when", /Pris nu/);
    await screen.page.reload();
    await screen.untilText("#now .when", /Pris nu/);
  });

  test("every control can be reached and used with the keyboard only", async () => {
    await using screen = await screens.look(daemon, { size: "tablet" });
    const wanted: readonly (readonly [ViewName, readonly string[]])[] = [
      ["now", ["Now", "Home", "All 4 plans", "Usage", "Language", "Log out"]],
      ["prices", ["Both days", "Prices of Home", "As a table"]],
      ["use", ["Consumption", "Month", "Earlier"]],
      ["plans", ["Run once", "New plan", "Dishwasher: enabled", "Car", "Add a plug"]],
      ["system", ["Diagnostics"]],
    ];
    for (const [view, names] of wanted) {
      // The address moves the start of the keyboard into the view, behind the links of the header.
      if (view === "now") await screen.untilText("#now .money .facts", /\d/);
      else await openView(screen, view);
      const reached = await tabbed(screen);
      for (const name of names) expect(reached, view).toContain(name);
    }
    // Arrow keys change choices, the chart has a text for each value, Enter opens a fold.
    await openView(screen, "prices");
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
    await openView(screen, "plans");
    await screen.page.locator(".plan-open").first().focus();
    await screen.page.keyboard.press("Enter");
    await screen.page.getByRole("button", { name: "Run now" }).waitFor();
  });

  test("a print has one page and light colours, also with a dark screen", async () => {
    await using screen = await screens.look(daemon, { size: "wall", scheme: "dark" });
    await screen.untilText("#now .price", /\d/);
    await screen.page.emulateMedia({ media: "print" });
    await screen.until("getComputedStyle(document.documentElement).getPropertyValue('--card').trim() === '#ffffff'");
    for (const view of ["now", "plans", "prices"] as const) {
      await openView(screen, view);
      await screen.picture(`print-${view}`);
      const pdf = await screen.page.pdf({ preferCSSPageSize: true, printBackground: true });
      expect([...pdf.toString("latin1").matchAll(/\/Type\s*\/Page\b/g)], view).toHaveLength(1);
    }
  });

  test("the layout does not shift while the page loads", async () => {
    for (const size of ["phone", "wall"] as const) {
      await using screen = await screens.look(daemon, { size, signedIn: true });
      await screen.untilText("#now .price", /\d/);
      await screen.untilText("#now .money .facts", /\d/);
      const shift = (await screen.page.evaluate(`new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; }).observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
      })`)) as number;
      expect([size, shift < 0.1, shift]).toEqual([size, true, shift]);
    }
  });
});

/** Hides the rows of prices that look like others: axe takes as long for them as for all other views. */
const HIDE_REPEATED_ROWS = `for (const row of document.querySelectorAll("#prices tbody tr:not(.present, :nth-child(8n))")) row.hidden = true`;

/** Presses Tab through the page. Returns the names of what was focused; each has a visible outline. */
async function tabbed(screen: Screen): Promise<string> {
  const reached: string[] = [];
  for (let i = 0; i < 60; i++) {
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
  return reached.join(" | ");
}
