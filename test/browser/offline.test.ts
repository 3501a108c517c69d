import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/core/time/interval.ts";
import { SYSTEM_PAGES, VIEWS } from "../../src/dashboard/route.ts";
import { DASHBOARD_PLANS, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { axeViolations } from "../support/browser/page-checks.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import { openView, untilLogIn } from "../support/browser/views.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

const KEPT_FILES = "caches.open('elbro').then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => url))";
const KEPT_TEXTS = `caches.open("elbro").then(async (cache) => Promise.all(
  (await cache.keys()).map(async (key) => (await cache.match(key)).text())))`;
/** Paths of the answers that the browser keeps. */
const KEPT_ANSWERS = `${KEPT_FILES}.then((urls) => urls.flatMap((url) => decodeURIComponent(url.split("/last/")[1] ?? "") || []))`;
const AGE = /No connection to elbro\. This data was read 10 Mar,? 15:2\d\. Retrying\./;

describe.skipIf(lacks("Chromium"))("the page without the daemon (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;
  beforeAll(async () => {
    screens = await Screens.start();
    daemon = await startDashboard({ start: "2026-03-10T14:20:00Z" });
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
  });

  /** Waits until the page can be opened without the daemon. */
  const untilKept = async (screen: Screen) => {
    await screen.untilText("#now .price", /\d/);
    await expect.poll(() => screen.page.evaluate(KEPT_FILES)).toContain(screen.url);
    await expect.poll(() => screen.page.evaluate(KEPT_ANSWERS)).toContain("local/v1/plans");
  };

  test("every view shows its last data with its age, on the open page and on one that is opened again", async () => {
    await using screen = await screens.look(daemon, { serviceWorkers: "allow", size: "phone" });
    const { page } = screen;
    await untilKept(screen);
    const openPage = async (name: string) => {
      await page.evaluate(`location.hash = "system/${name}"`);
      await page.locator(`#system .tabs a[href$="${name}"][aria-current]`).waitFor();
    };
    const blocksOf = () => page.locator("#system .owner-grid h3").allInnerTexts();
    const blocks = new Map<string, string[]>();
    for (const view of VIEWS) await openView(screen, view);
    for (const name of SYSTEM_PAGES.slice(1)) {
      await openPage(name);
      await screen.settled("system");
      blocks.set(name, await blocksOf());
    }
    expect([...blocks.values()].flat()).toEqual(["Connections", "Settings", "Keys", "Changes"]);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(() => page.evaluate(KEPT_ANSWERS)).toContain("local/v1/history");
    expect(JSON.stringify(await page.evaluate(KEPT_TEXTS))).not.toContain(LAN_KEY);

    await page.context().setOffline(true);
    const walk = async () => {
      for (const view of VIEWS) {
        await openView(screen, view);
        await screen.untilText("#contact", AGE);
      }
      for (const [name, titles] of blocks) {
        await openPage(name);
        await expect.poll(blocksOf).toEqual(titles);
      }
    };
    await walk();
    await page.reload();
    await walk();
    await screen.show("prices");
    await screen.picture("offline-prices-phone");
    expect(await axeViolations(screen)).toEqual([]);

    await page.context().setOffline(false);
    await screen.untilText("#contact", /^$/);
    await screen.untilText("#prices .readout", /DKK \d/);
  });

  test("over plain http, where no page is kept, every view opens without the daemon, also for the first time", async () => {
    await using screen = await screens.visit(`${daemon.url}/`);
    const { page } = screen;
    await page.addInitScript("Object.defineProperty(globalThis, 'isSecureContext', { value: false })");
    await screen.signIn(LAN_KEY);
    await page.goto(screen.url);
    await screen.untilText("#now .price", /\d/);
    for (const view of VIEWS.slice(1))
      await screen.until(
        `performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/${view}-view.js"))`,
      );
    await page.context().setOffline(true);
    for (const view of VIEWS) {
      await page.evaluate(`location.hash = "${view}"`);
      await page.locator(`#${view}`).waitFor();
    }
    await screen.untilText("#contact", AGE);
  });

  test("a view that was opened while the network was gone for a second shows its data afterwards", async () => {
    await using screen = await screens.look(daemon);
    const { page } = screen;
    await screen.untilText("#now .price", /\d/);
    await page.route("**/local/v1/savings*", (route) => route.abort());
    await page.clock.install();
    await page.evaluate("location.hash = 'results'");
    await screen.untilText("#contact", AGE);
    await page.unroute("**/local/v1/savings*");
    await page.clock.fastForward(4_000);
    await screen.untilText("#contact", /^$/);
    await openView(screen, "results");
  });

  test("a wall panel shows the present price and runs after a week", async () => {
    await using own = await startDashboard({
      start: "2026-03-25T14:20:00Z",
      plans: DASHBOARD_PLANS?.slice(0, 1) ?? [],
    });
    await using screen = await screens.look(own, { view: "panel" });
    await screen.untilText(".wall-price", /\d/);
    const elements = "document.querySelectorAll('*').length";
    const before = Number(await screen.page.evaluate(elements));
    await own.clock.runUntil(own.clock.now() + 7 * DAY_MS);
    const { homes } = (await (await own.request("/local/v1/now")).json()) as { homes: { price: number }[] };
    const price = (homes[0]?.price ?? Number.NaN).toFixed(2);
    await expect.poll(() => screen.text(".wall-price")).toContain(price);
    await expect.poll(() => screen.text(".wall-time")).toBe("16:23");
    await screen.untilText(".wall-runs", /Dishwasher tomorrow 02:00–05:00/);
    expect(Number(await screen.page.evaluate(elements))).toBeLessThan(before + 100);
    expect(screen.errors).toEqual([]);
  });

  test("a view or chart that cannot be loaded says so, also where something is shown meanwhile", async () => {
    await using screen = await screens.visit(`${daemon.url}/`);
    await screen.signIn(LAN_KEY);
    const { page } = screen;
    await page.route("**/price{-chart,s-view}*.js", (route) => route.abort());
    await page.goto(screen.url);
    await page.locator("#now .hero .strip").waitFor();
    await screen.untilText("#now .hero", /No connection to elbro\. Retrying\./);
    await page.clock.install();
    await page.locator('#parts a[href="#prices"]').click();
    await screen.untilText("#page", /^No connection to elbro\. Retrying\.$/);
    await page.unroute("**/price{-chart,s-view}*.js");
    await page.clock.fastForward(4_000);
    await screen.untilText("#prices .readout", /DKK \d/);
  });

  test("a page of other files than the daemon's is loaded again, once, also of the same version", async () => {
    await using screen = await screens.look(daemon);
    const { page } = screen;
    await screen.untilText("#now .price", /\d/);
    // Requests of the document, not "load" events: a page that is loaded again early has none.
    const loads: string[] = [];
    page.on("request", (request) => request.isNavigationRequest() && loads.push(request.url()));
    await page.route("**/local/v1/session", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), page_digest: "0123456789abcdef" } });
    });
    await page.evaluate("location.reload()");
    await expect.poll(() => loads.length).toBe(2);
    await screen.untilText("#now .price", /\d/);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await screen.settled("now");
    expect(loads).toHaveLength(2);
  });

  test("a log-out deletes what was kept, and so does a key that is no longer valid", async () => {
    await using screen = await screens.look(daemon, { serviceWorkers: "allow" });
    await untilKept(screen);
    await screen.page.context().clearCookies();
    await screen.page.reload();
    await screen.page.getByRole("heading", { name: "Log in" }).waitFor();
    await expect.poll(() => screen.page.evaluate(KEPT_ANSWERS)).toEqual([]);

    await using other = await screens.look(daemon, { serviceWorkers: "allow" });
    await untilKept(other);
    await other.page.getByRole("button", { name: "Log out" }).click();
    await other.page.getByRole("heading", { name: "Log in" }).waitFor();
    await expect.poll(() => other.page.evaluate(KEPT_ANSWERS)).toEqual([]);
  });

  test("a key that is revoked while its page is open deletes what was kept", async () => {
    const made = await daemon.post("/local/v1/keys", { name: "tablet" });
    const { key } = (await made.json()) as { key: string };
    await daemon.clock.runUntil(daemon.clock.now() + SECOND_MS);
    await using screen = await screens.look(daemon, { serviceWorkers: "allow", key });
    await untilKept(screen);
    expect((await daemon.send("DELETE", "/local/v1/keys/tablet")).status).toBe(200);
    await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
    await untilLogIn(screen);
    await expect.poll(() => screen.page.evaluate(KEPT_ANSWERS)).toEqual([]);
    // The login is a file of the page, which may be kept.
    expect(await screen.page.evaluate(KEPT_FILES)).not.toContain(screen.url);
  });
});
