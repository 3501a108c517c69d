import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dashboardApi, DASHBOARD_PLANS as PLANS, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

const at = (text: string) => Date.parse(text);

/** Returns the current price of the API in the format of the page. */
async function priceTold(daemon: TestDaemon): Promise<RegExp> {
  const { price } = (await (await daemon.request("/local/v1/now?home=home")).json()) as { price: number };
  return new RegExp(`^${price.toFixed(2)} ?DKK/kWh$`);
}

async function untilPlain(screen: Screen): Promise<void> {
  await screen.untilText("#now .price", /\d\.\d\d/);
  await screen.untilText("#now .next-runs", /Dishwasher/);
}

describe.skipIf(lacks("Chromium"))(
  "live updates of the dashboard (in Chromium; skipped if it is not installed)",
  () => {
    let screens: Screens;
    beforeAll(async () => {
      screens = await Screens.start();
    });
    afterAll(async () => {
      await screens?.[Symbol.asyncDispose]();
    });

    test("the price changes at the start of an interval without a reload", async () => {
      await using daemon = await startDashboard({ start: "2026-03-10T14:20:00Z" });
      await using screen = await screens.look(daemon);
      await untilPlain(screen);
      for (const time of ["2026-03-10T14:30:05Z", "2026-03-10T17:00:05Z", "2026-03-11T03:15:05Z"]) {
        await daemon.clock.runUntil(at(time));
        await screen.untilText("#now .price", await priceTold(daemon));
      }
      expect(await screen.text("#now .when")).toBe("Price now · 04:15–04:30");
      expect(screen.errors).toEqual([]);
    });

    test("without the daemon the page shows the age of its data, and it reconnects by itself", async () => {
      await using daemon = await startDashboard({ start: "2026-03-10T14:20:00Z" });
      await using screen = await screens.look(daemon, { size: "phone" });
      await untilPlain(screen);
      const before = await screen.text("#now .price");
      const port = daemon.apiPort;
      await daemon.stop();
      await screen.untilText("#contact", /No connection to elbro\. This data was read 10 Mar, 15:2\d\. Retrying\./);
      expect(await screen.text("#now .price")).toBe(before);
      await screen.picture("outage-phone");
      await daemon.clock.runUntil(at("2026-03-10T19:00:05Z"));
      await daemon.restart({ api: dashboardApi({ port }) });
      await screen.untilText("#contact", /^$/);
      await screen.untilText("#now .price", await priceTold(daemon));
      expect(await screen.text("#now .when")).toBe("Price now · 20:00–20:15");
    });

    test("an error of the service is shown as a problem with a remedy until it ends", async () => {
      await using daemon = await startDashboard({ start: "2026-03-10T08:00:00Z" });
      await using screen = await screens.look(daemon, { size: "phone" });
      await untilPlain(screen);
      daemon.simulator.setFaults([{ fault: "status", operation: "*", status: 401, errorCode: "invalid_token" }]);
      await daemon.clock.runUntil(at("2026-03-10T13:40:00Z"));
      const text = await screen.untilText("#now .problems", /does not know this API key/);
      expect(text).toMatch(/create a new key in the app/);
      await screen.picture("problem-phone");
      daemon.simulator.setFaults([]);
      await daemon.clock.runUntil(at("2026-03-10T23:40:00Z"));
      await screen.until("!document.querySelector('#now .problems')");
      await screen.show("system");
      await screen.untilText("#system", /Ended The service does not know this API key/);
    });

    test("a problem and its detail are in the language of the page, not in the configured one", async () => {
      await using daemon = await startDashboard({
        start: "2026-03-10T14:20:00Z",
        plans: PLANS.map((plan) => ({ ...plan, home: "huset" })),
      });
      await using screen = await screens.look(daemon, { language: "da-DK" });
      await screen.untilText(
        "#now .problems",
        /Sæt home for planen ”[A-Z][a-z ]+” til et af: home; indtil da er signalet slukket\./,
      );
      await screen.show("system");
      await screen.untilText("#system .problems", /Teknisk detalje: forventede et hjems id \(home\), fandt ”huset”/);
    });

    test("the start of a run is shown at once", async () => {
      await using daemon = await startDashboard({ start: "2026-03-10T18:30:00Z" });
      await using screen = await screens.look(daemon);
      await untilPlain(screen);
      const { plans } = (await (await daemon.request("/local/v1/plans")).json()) as {
        plans: { id: string; next_start: string }[];
      };
      const start = at(plans.find(({ id }) => id === "dishwasher")?.next_start ?? "");
      await daemon.clock.runUntil(start + 5_000);
      await screen.untilText("#now .plan-lines", /Dishwasher Runs until \d\d:\d\d/);
      await screen.show("plans");
      await screen.untilText("#plans", /Dishwasher Running Runs until \d\d:\d\d/);
    });
  },
);
