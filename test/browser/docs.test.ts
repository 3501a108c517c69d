import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeViolations, COLOUR_RULES } from "../support/browser/page-checks.ts";
import { Screens, savePicture } from "../support/browser/screen.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

/** Opens three operations and all their details, level by level, because each level is made when it is opened. */
const OPEN_THREE = `(async () => {
  for (let level = 0; level < 6; level++) {
    for (const id of ["prices", "getEvents", "getSystem"])
      for (const part of [document.getElementById(id), ...document.querySelectorAll("#" + id + " details")]) part.open = true;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
})()`;

describe.skipIf(lacks("Chromium"))("the API reference page (in Chromium; skipped if it is not installed)", () => {
  let daemon: TestDaemon;
  let screens: Screens;
  beforeAll(async () => {
    daemon = await TestDaemon.start({ start: Date.UTC(2026, 2, 10, 9), config: { history: { months: 0 } } });
    screens = await Screens.start();
  });
  afterAll(async () => {
    await screens?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  /** Opens the page. Returns it with its errors and the hosts of its requests. */
  async function look(width = 360, rest = "/docs") {
    const context = await screens.browser.newContext({ viewport: { width, height: 780 } });
    const page = await context.newPage();
    const wrong: string[] = [];
    const hosts = new Set<string>();
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("request", (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${daemon.url}${rest}`);
    await page.getByText(/\d+ of \d+ operations/).waitFor();
    return { page, wrong, hosts, [Symbol.asyncDispose]: () => context.close() };
  }

  const widthOf = (page: Page) => page.evaluate("document.documentElement.scrollWidth") as Promise<number>;

  test("the API reference page shows every operation of the document without a key, and sends requests only to this server", async () => {
    await using it = await look();
    const document = (await (await fetch(`${daemon.url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const count = Object.values(document.paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    await expect.poll(() => it.page.locator("details.operation").count()).toBe(count);
    expect(await it.page.locator("#found").textContent()).toBe(`${count} of ${count} operations`);
    expect([...it.hosts]).toEqual([`127.0.0.1:${daemon.apiPort}`]);
    expect(it.wrong).toEqual([]);
  });

  test("the help is readable without a key: its pages, their style and the place of a problem", async () => {
    const context = await screens.browser.newContext({ viewport: { width: 360, height: 780 } });
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    await page.goto(`${daemon.url}/help`);
    await page.getByRole("link", { name: "Operations" }).first().click();
    await page.waitForURL(/\/help\/operations$/);
    await page.goto(`${daemon.url}/help/operations#clock_wrong`);
    expect(await page.locator("tr:target").textContent()).toMatch(/clock of this machine/);
    expect(await page.evaluate("getComputedStyle(document.querySelector('main table')).borderCollapse")).toBe(
      "collapse",
    );
    expect(await widthOf(page)).toBeLessThanOrEqual(360);
    expect((await fetch(`${daemon.url}/help/secrets`)).status).toBe(404);
    expect(wrong).toEqual([]);
    await context.close();
  });

  test("an opened operation shows parameters, an example, responses and their fields", async () => {
    await using it = await look();
    const prices = it.page.locator("#prices");
    await prices.locator("summary").first().click();
    const text = () => prices.textContent();
    await prices.getByText("Access: a key.").waitFor();
    expect(await text()).toContain("resolution");
    expect(await text()).toContain(`'http://127.0.0.1:${daemon.apiPort}/consumer/v1/me/addresses/`);
    await prices.locator("details.schema summary").first().click();
    await prices.getByText("PricesAnswer").first().click();
    await prices.getByText("list of PriceRow").first().click();
    await prices.getByText("totalPricePerKWh").first().waitFor();
    expect(it.wrong).toEqual([]);
  });

  test("the search shows operations that contain all its words", async () => {
    await using it = await look();
    await it.page.getByRole("searchbox").fill("resolution prices");
    const left = it.page.locator("details.operation:visible");
    expect(await left.count()).toBeGreaterThan(0);
    expect(await left.count()).toBeLessThan(6);
    await it.page.getByRole("searchbox").fill("no such word: xyzzy");
    await expect.poll(() => left.count()).toBe(0);
  });

  test("a link to an operation opens it", async () => {
    await using it = await look(800, "/docs#getEvents");
    await it.page.locator("#getEvents[open]").getByText("Last-Event-ID").first().waitFor();
  });

  test("light and dark: no width scrolls horizontally, and axe finds no violation", async () => {
    await using it = await look(1200);
    await it.page.evaluate(OPEN_THREE);
    await it.page.getByText("totalPricePerKWh").first().waitFor();
    for (const width of [1200, 360]) {
      await it.page.setViewportSize({ width, height: 800 });
      await expect.poll(() => widthOf(it.page)).toBe(width);
      await savePicture(it.page, `docs-${width}`);
    }
    expect(await axeViolations(it)).toEqual([]);
    await it.page.emulateMedia({ colorScheme: "dark" });
    expect(await axeViolations(it, COLOUR_RULES)).toEqual([]);
  });
});
