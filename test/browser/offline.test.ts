import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "../../src/core/time/interval.ts";
import { startDashboard } from "../support/browser/dashboard-daemon.ts";
import { axeViolations } from "../support/browser/page-checks.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import { untilLogIn } from "../support/browser/views.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

const KEPT_FILES = "caches.open('elbro').then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => url))";
const KEPT_DATA = "localStorage.getItem('elbro-last')";

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
    await screen.until(`${KEPT_DATA} !== null`);
  };

  test("opens with the last prices and their age, and returns to the daemon's when it is back", async () => {
    await using screen = await screens.look(daemon, { serviceWorkers: "allow", size: "phone" });
    await untilKept(screen);
    const price = await screen.text("#now .price");
    const { page } = screen;
    const files = (await page.evaluate(KEPT_FILES)) as string[];
    expect(files.filter((url) => /local\/v1|events/.test(url))).toEqual([]);

    await page.context().setOffline(true);
    await page.reload();
    await screen.untilText("#contact", /No connection to elbro\. This data was read 10 Mar,? 15:2\d\. Retrying\./);
    expect(await screen.text("#now .price")).toBe(price);
    await screen.untilText("#now .next-runs", /Dishwasher/);
    await screen.show("prices");
    await screen.untilText("#prices .readout", /DKK \d/);
    await screen.picture("offline-prices-phone");
    expect(await axeViolations(screen)).toEqual([]);

    await page.context().setOffline(false);
    await screen.untilText("#contact", /^$/);
    await screen.untilText("#prices .readout", /DKK \d/);
  });

  test("a view that cannot be loaded says so, and is shown once it can", async () => {
    await using screen = await screens.look(daemon);
    const { page } = screen;
    await screen.untilText("#now .price", /\d/);
    await page.route("**/prices-view.js", (route) => route.abort());
    await page.clock.install();
    await page.locator('#parts a[href="#prices"]').click();
    await page.getByText("No connection to elbro. Retrying.", { exact: true }).first().waitFor();
    await page.unroute("**/prices-view.js");
    await page.clock.fastForward(4_000);
    await screen.untilText("#prices .readout", /DKK \d/);
  });

  test("a chart that cannot be loaded says so below the hours that are shown meanwhile", async () => {
    await using screen = await screens.visit(`${daemon.url}/`, { size: "wide" });
    await screen.signIn(LAN_KEY);
    await screen.page.route("**/price-chart*.js", (route) => route.abort());
    await screen.page.goto(screen.url);
    await screen.page.locator("#now .hero .strip").waitFor();
    await screen.untilText("#now .hero", /No connection to elbro\. Retrying\./);
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
    expect(await screen.page.evaluate(KEPT_DATA)).toBeNull();

    await using other = await screens.look(daemon, { serviceWorkers: "allow" });
    await untilKept(other);
    await other.page.getByRole("button", { name: "Log out" }).click();
    await other.page.getByRole("heading", { name: "Log in" }).waitFor();
    expect(await other.page.evaluate(KEPT_DATA)).toBeNull();
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
    expect(await screen.page.evaluate(KEPT_DATA)).toBeNull();
    // The login is a file of the page, which may be kept.
    expect(await screen.page.evaluate(KEPT_FILES)).not.toContain(screen.url);
  });
});
