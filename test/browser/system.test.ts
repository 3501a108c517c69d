import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DASHBOARD_PLANS, dashboardApi, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { Screens } from "../support/browser/screen.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

interface ToldInterface {
  readonly quota: { readonly day: { readonly limit: number; readonly left: number } };
  readonly today: { readonly requests: number };
}

describe.skipIf(lacks("Chromium"))(
  "the System part of the dashboard (in Chromium; skipped if it is not installed)",
  () => {
    let screens: Screens;
    let daemon: TestDaemon;

    beforeAll(async () => {
      screens = await Screens.start();
      daemon = await startDashboard({ start: "2026-03-10T14:20:00Z", plans: DASHBOARD_PLANS });
      // After this time no request is due for a while, so the numbers do not change.
      await daemon.clock.runUntil(Date.parse("2026-03-10T16:50:00Z"));
    });
    afterAll(async () => {
      await daemon?.[Symbol.asyncDispose]();
      await screens?.[Symbol.asyncDispose]();
    });

    test("a former home is listed until the home at the new address takes over and it is forgotten", async () => {
      await using moved = await startDashboard({ start: "2026-03-10T11:30:00Z", simulator: { homes: ["danish"] } });
      moved.simulator.setFaults([{ operation: "*", fault: "otherAccount" }]);
      await moved.clock.runUntil(Date.parse("2026-03-10T12:30:00Z"));
      await using screen = await screens.look(moved, { size: "wall", view: "system/backup" });
      expect(await screen.untilText("#former", /Home home/)).toContain("I have moved to home_99");
      await screen.page.locator("#former").getByRole("button", { name: "I have moved to home_99" }).click();
      await screen.page.locator("#former .sure .strong").click();
      await screen.untilText("#former", /Home home_former/);
      const files = screen.page.locator("#former a");
      expect(await files.allTextContents()).toEqual(["Consumption", "Costs", "Export", "Revenue"]);
      for (const file of await files.all()) {
        const answer = await moved.request(`/${await file.getAttribute("href")}`);
        expect(await answer.text()).toMatch(/\n2026-03-09T00:00:00\+01:00,[^,]*,\d/);
      }
      await screen.page.locator("#former").getByRole("button", { name: "Forget" }).click();
      await screen.page.locator("#former .sure .strong").click();
      await expect.poll(() => screen.page.locator("#former").count()).toBe(0);
    });

    test("quota, requests, series ages, broker and versions equal the API's", async () => {
      await using screen = await screens.look(daemon, { size: "wall", view: "system" });
      await screen.untilText("#system", /Requests today/);
      await screen.page.reload();
      let text = "";
      let version = "";
      // The daemon still fetches history, so page and API are read until both have the same numbers.
      const isSame = async () => {
        text = await screen.untilText("#system", /Requests today \d+/);
        const system = (await (await daemon.request("/local/v1/system")).json()) as {
          interfaces: ToldInterface[];
          version: string;
        };
        version = system.version;
        const [consumer] = system.interfaces;
        const left = `${consumer?.quota.day.left} of ${consumer?.quota.day.limit} left`;
        return text.includes(left) && text.includes(`Requests today ${consumer?.today.requests}`);
      };
      await expect.poll(isSame).toBe(true);
      expect(text).toMatch(/Service State Works/);
      expect(text).toMatch(/Prices Home (just now|\d+ (min|hr)\.? ago) 10 Mar, 1\d:\d\d/);
      expect(text).toMatch(/History: \d+% is here, the rest follows\.|The history is complete\./);
      expect(text).toMatch(/Broker ✓ connected · built in/);
      expect(text).toContain(`elbro ${version}`);
      expect(text).toContain(process.versions.node);
      expect(text).toMatch(/Memory [\d,]{2,6} MB/);
      expect(text).toMatch(/Problems ✓ None\./);
    });

    test("a plug that does not respond is not shown as OFF", async () => {
      await using silent = await TestDaemon.start({
        start: Date.parse("2026-03-10T14:20:00Z"),
        simulator: { homes: ["danish"] },
        config: {
          ...{ plans: DASHBOARD_PLANS, api: dashboardApi() },
          plugs: [{ name: "Heater", family: "tasmota", topic: "heater", plan: "dishwasher" }],
        },
      });
      await using screen = await screens.look(silent, { view: "plugs" });
      // The plug received a command and has not responded yet.
      await screen.untilText("#plans .plug", /^Heater State unknown Follows/);
      await silent.clock.runUntil(Date.parse("2026-03-10T14:23:00Z"));
      await screen.untilText("#plans .plug", /^Heater Not responding Follows/);
    });

    test("diagnostics are downloaded as a file without secrets", async () => {
      await using screen = await screens.look(daemon, { view: "system" });
      await screen.untilText("#system", /Diagnostics/);
      const downloading = screen.page.waitForEvent("download");
      await screen.page.getByRole("link", { name: "Diagnostics" }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^elbro-diagnostics.*\.json$/);
      const text = readFileSync(await download.path(), "utf8");
      expect(JSON.parse(text)).toBeTypeOf("object");
      expect(text).not.toContain(LAN_KEY);
      expect(text).not.toContain(daemon.simulator.keys.consumerKey ?? "no key");
      const [cookie] = await screen.page.context().cookies();
      expect(text).not.toContain(cookie?.value ?? "no cookie");
    });
  },
);
