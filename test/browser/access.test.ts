import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DASHBOARD_PLANS, dashboardApi, GUEST_KEY, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { Screen, Screens } from "../support/browser/screen.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

const START = "2026-03-10T14:20:00Z";

describe.skipIf(lacks("Chromium"))("login to the dashboard (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;

  beforeAll(async () => {
    screens = await Screens.start();
    daemon = await startDashboard({ start: START });
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
  });

  test("without a key the page shows only the login form", async () => {
    await using screen = await screens.look(daemon, { signedIn: false });
    await screen.page.getByRole("heading", { name: "Log in" }).waitFor();
    expect((await fetch(screen.url)).headers.get("link")).toBeNull();
    expect(await screen.text("main")).not.toMatch(/\d,\d|kWh|Dishwasher/);
    await screen.picture("login");
    for (const path of [
      "local/v1/prices?home=home",
      "local/v1/system",
      "local/v1/plans",
      "events",
      "local/v1/diagnostics",
    ])
      expect([path, (await fetch(screen.url + path)).status]).toEqual([path, 401]);
  });

  test("the page begins with six files, and requests session, prices and plans once, before its scripts run", async () => {
    await using screen = await screens.look(daemon);
    await screen.untilText("#now .price", /\d\.\d\d/);
    await screen.until("performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/system'))");
    const requests = (await screen.page.evaluate(
      "performance.getEntriesByType('resource').map(({ name, startTime, responseEnd }) => ({ name: name.split('/').at(-1), startTime, responseEnd }))",
    )) as { name: string; startTime: number; responseEnd: number }[];
    const scriptsAt = Math.max(...requests.filter(({ name }) => name === "early.js").map((each) => each.responseEnd));
    const first = requests.filter(({ startTime }) => startTime < scriptsAt).map(({ name }) => name);
    const data = ["plans", "prices?home=home", "session"];
    expect(first.toSorted()).toEqual(["app.js", "base.js", "early.js", "page.css", ...data, "view.js"]);
    // The page requests the system after them, and data again only after an event.
    const systemAt = requests.find(({ name }) => name === "system")?.startTime ?? Number.NaN;
    const before = requests.filter(({ name, startTime }) => data.includes(name) && startTime <= systemAt);
    expect(before).toHaveLength(data.length);
  });

  test("a link with another key asks before it replaces a session, and one with the same key does not", async () => {
    await using screen = await screens.visit(`${daemon.url}/`);
    const questions: string[] = [];
    let answer: "accept" | "dismiss" = "dismiss";
    screen.page.on("dialog", (dialog) => {
      questions.push(dialog.message());
      void dialog[answer]();
    });
    const follow = async (key: string) => {
      await screen.page.goto("about:blank");
      await screen.page.goto(`${daemon.url}/#key=${key}`);
      await screen.untilText("footer", /Logged in with the key/);
      return /the key (\w+)/.exec((await screen.text("footer")).replace(/\s+/g, " "))?.[1];
    };
    const first = await follow(LAN_KEY);
    expect(await follow(LAN_KEY)).toBe(first);
    expect(questions).toEqual([]);
    expect(await follow(GUEST_KEY)).toBe(first);
    expect(questions).toEqual([expect.stringContaining(`the key ${first}`)]);
    answer = "accept";
    expect(await follow(GUEST_KEY)).not.toBe(first);
    expect(questions).toHaveLength(2);
  });

  test("a browser that is too old names those that the page needs", async () => {
    await using screen = await screens.visit(`${daemon.url}/`);
    await screen.page.route("**/page.css", async (route) => {
      const css = await (await route.fetch()).text();
      await route.fulfill({ contentType: "text/css", body: css.replace("transition-behavior", "no-such-property") });
    });
    await screen.page.goto(screen.url);
    const shown = await screen.page.evaluate("getComputedStyle(document.body, '::before').content");
    expect(shown).toContain("This page needs Chrome 117, Edge 117, Firefox 129, Safari 17.4, or a newer version.");
  });

  test("the link of a wall panel logs in and shows price, 24 hours and runs on one screen of any size", async () => {
    await using screen = await screens.visit(`${daemon.url}/`);
    await screen.page.goto(`${daemon.url}/#key=${GUEST_KEY}&panel`);
    await screen.untilText(".wall-price", /\d\.\d\d/);
    await screen.untilText(".wall-runs", /Car/);
    expect(new URL(screen.page.url()).hash).toBe("#panel");
    await expect.poll(() => screen.page.locator(".wall .strip li").count()).toBe(24);
    for (const [width, height] of [
      [800, 480],
      [1024, 600],
      [1280, 800],
      [600, 1024],
    ] as const) {
      await screen.page.setViewportSize({ width, height });
      const inside = (await screen.page.evaluate(
        `[...document.querySelectorAll(".wall p, .wall h2, .wall li, .wall .bar")].filter((each) => {
          const { left, top, right, bottom } = each.getBoundingClientRect();
          return left < -5 || top < -5 || right > innerWidth + 5 || bottom > innerHeight + 5;
        }).length + (document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth ? 100 : 0)`,
      )) as number;
      expect([width, height, inside]).toEqual([width, height, 0]);
      const colours = (await screen.page.evaluate(
        `[...document.querySelectorAll(".wall .bar")].map((each) => getComputedStyle(each).backgroundColor)`,
      )) as string[];
      expect(colours).not.toContain("rgba(0, 0, 0, 0)");
      // At three metres a digit of 15 mm is readable; a screen of 7 inches has 5 pixels per mm.
      const pixels = (await screen.page.evaluate(
        'parseFloat(getComputedStyle(document.querySelector(".wall-price")).fontSize)',
      )) as number;
      expect(pixels).toBeGreaterThan(75);
      await screen.picture(`panel-${width}`);
    }
    expect(screen.errors).toEqual([]);
  });

  test("a wrong key is refused with a message, and the right one starts a session", async () => {
    await using screen = await screens.look(daemon, { signedIn: false });
    const { page } = screen;
    await page.getByLabel("Key", { exact: true }).fill("not-this-one");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").filter({ hasText: "Unknown key." }).waitFor();
    expect(await screen.page.context().cookies()).toEqual([]);
    await page.getByLabel("Key", { exact: true }).fill(LAN_KEY);
    await page.keyboard.press("Enter");
    await screen.untilText("#now .price", /\d\.\d\d/);
    const [cookie] = await screen.page.context().cookies();
    expect(cookie).toMatchObject({
      name: `elbro_session_${new URL(daemon.url).port}`,
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
    });
    expect(cookie?.value).not.toContain(LAN_KEY);
  });

  test("a read-only key can read but not change", async () => {
    await using screen = await screens.look(daemon, { key: GUEST_KEY, view: "plans/dishwasher" });
    await screen.untilText("#plans", /Your key is read-only/);
    await expect.poll(() => screen.page.getByRole("button", { name: "Run now" }).count()).toBe(0);
    const status = await screen.page.evaluate(
      `fetch("local/v1/plans/dishwasher", { method: "POST", headers: { "Content-Type": "application/json", "X-Elbro-Page": "1" }, body: '{"enabled":false}' }).then((answer) => answer.status)`,
    );
    expect(status).toBe(403);
  });

  test("login to the dashboard works behind a proxy that serves it below a path, like Home Assistant's ingress", async () => {
    await using proxy = await proxyTo(daemon.apiPort, { prefix: "/api/hassio_ingress/abc/" });
    await using screen = await Screen.open(screens.browser, proxy.url, {});
    await screen.page.goto(proxy.url);
    await screen.page.getByLabel("Key", { exact: true }).fill(LAN_KEY);
    await screen.page.keyboard.press("Enter");
    await screen.untilText("#now .price", /\d\.\d\d/);
    await screen.show("system");
    await screen.untilText("#system", /Requests today/);
    await screen.show("use");
    await screen.untilText("#use", /Used/);
    expect(screen.errors).toEqual([]);
    expect(proxy.elsewhere).toEqual([]);
  });

  test("behind a proxy that changes the Host header, the login page names the key to set", async () => {
    await using proxy = await proxyTo(daemon.apiPort, { keepsHost: false });
    await using screen = await screens.visit(proxy.url);
    await screen.page.goto(proxy.url);
    await screen.page.getByLabel("Key", { exact: true }).fill(LAN_KEY);
    await screen.page.keyboard.press("Enter");
    await screen.untilText("main", /if it is a proxy for this API, add "localhost" to api.hosts/);
  });

  describe("after a restart with other keys or settings", () => {
    let own: TestDaemon;
    beforeAll(async () => {
      own = await startDashboard({ start: START });
    });
    afterAll(() => own?.[Symbol.asyncDispose]());
    const restart = (api: Parameters<typeof dashboardApi>[0]) =>
      own.restart({ plans: DASHBOARD_PLANS, api: dashboardApi(api) });

    test("an open dashboard can be read without a login, but not changed", async () => {
      await restart({ dashboard: "open" });
      await using screen = await screens.look(own, { signedIn: false });
      const { page } = screen;
      await screen.untilText("#now .price", /\d\.\d\d/);
      await screen.show("plans");
      await screen.untilText("#plans", /log in with a key that may make changes/);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByLabel("Key", { exact: true }).fill(LAN_KEY);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "New plan" }).waitFor();
    });

    test("login to the dashboard works behind such a proxy if api.hosts contains the public host name", async () => {
      await restart({ hosts: ["localhost"] });
      await using proxy = await proxyTo(own.apiPort, { keepsHost: false });
      await using screen = await screens.visit(proxy.url);
      await screen.page.goto(proxy.url);
      await screen.page.getByLabel("Key", { exact: true }).fill(LAN_KEY);
      await screen.page.keyboard.press("Enter");
      await screen.untilText("#now .price", /\d\.\d\d/);
      await screen.show("plans");
      const dishwasher = screen.page.getByRole("article", { name: "Dishwasher" });
      await dishwasher.getByRole("switch").uncheck();
      await screen.untilText("#plans", /Dishwasher .*Disabled/);
      expect(screen.errors).toEqual([]);
    });
    test("after several wrong keys the page says how long to wait", async () => {
      await restart({});
      await using screen = await screens.look(own, { signedIn: false });
      const { page } = screen;
      const alert = page.locator("#key-wrong");
      for (let i = 0; i < 40 && !/Too many/.test((await alert.allTextContents()).join()); i++) {
        const answered = page.waitForResponse(/local\/v1\/session/);
        await page.getByLabel("Key", { exact: true }).fill(`guess-${i}`);
        await page.keyboard.press("Enter");
        await answered;
        await page.getByRole("button", { name: "Log in" }).and(page.locator(":enabled")).waitFor();
      }
      expect(await alert.textContent()).toMatch(/Too many wrong keys\. Try again in \d+ seconds?\./);
    });
  });
});

interface ProxyOptions {
  /** Prefix of the proxy's paths. */
  readonly prefix?: string;
  /** Whether the proxy passes on the Host header of the browser. */
  readonly keepsHost?: boolean;
}

/** Starts a proxy that forwards paths with a prefix and returns 404 for all others. */
async function proxyTo(port: number, { prefix = "/", keepsHost = true }: ProxyOptions) {
  const elsewhere: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const url = incoming.url ?? "/";
    if (!url.startsWith(prefix)) {
      elsewhere.push(url);
      outgoing.writeHead(404).end();
      return;
    }
    const headers = { ...incoming.headers, ...(keepsHost ? {} : { host: `127.0.0.1:${port}` }) };
    const onward = request(
      { port, path: `/${url.slice(prefix.length)}`, method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
    outgoing.on("close", () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${prefix}`,
    elsewhere,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
