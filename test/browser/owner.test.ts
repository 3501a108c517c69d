import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS } from "../../src/core/time/interval.ts";
import { GUEST_KEY, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { MISFITS, OVERLAPS, SMALL_TARGETS, violationsInBothSchemes } from "../support/browser/page-checks.ts";
import { type LookOptions, type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

const SCHEMES = [
  { scheme: "light", language: "da-DK" },
  { scheme: "dark", language: "sv-SE" },
] as const;

describe.skipIf(lacks("Chromium"))(
  "keys, log and backup on the page (in Chromium; skipped if it is not installed)",
  () => {
    let screens: Screens;
    let daemon: TestDaemon;

    beforeAll(async () => {
      screens = await Screens.start();
      daemon = await startDashboard({
        start: "2026-03-10T14:20:00Z",
        plans: [],
        api: {
          url: "http://192.168.1.5:8080",
          keys: [
            { name: "kitchen", key: LAN_KEY, scopes: ["admin"] },
            { name: "guest", key: GUEST_KEY },
          ],
        },
      });
    });
    afterAll(async () => {
      await daemon?.[Symbol.asyncDispose]();
      await screens?.[Symbol.asyncDispose]();
    });

    async function atKeys(options: LookOptions = {}): Promise<Screen> {
      const screen = await screens.look(daemon, { view: "keys", ...options });
      await screen.untilText("#keys", /kitchen/);
      return screen;
    }
    const status = async (key: string) =>
      (await fetch(`${daemon.url}/local/v1/now`, { headers: { authorization: `Bearer ${key}` } })).status;

    test("a new key is shown once, works, and is revoked after a confirmation", async () => {
      await using screen = await atKeys();
      await typeKeys(screen.page.getByLabel("Name of the device"), "phone/Åse");
      await screen.page.getByRole("button", { name: "Create a key" }).click();
      await screen.untilText("#keys", /Use at most 40 letters/);
      await typeKeys(screen.page.getByLabel("Name of the device"), "phone");
      await screen.page.getByLabel("may also make changes").check();
      await screen.page.getByRole("button", { name: "Create a key" }).click();
      await screen.untilText(
        "#keys",
        /phone read and change · never used.*The key of phone, shown only this once: elbro_/,
      );
      const key = (await screen.page.locator("#keys code").first().textContent()) ?? "";
      // This page is open at an address of this machine only, so the link has the address that is configured.
      await screen.untilText("#keys .setup-facts code", new RegExp(`^http://192\\.168\\.1\\.5:8080/#key=${key}$`));
      await screen.page.getByRole("img", { name: "QR code of the link" }).waitFor();
      await screen.until("document.querySelector('.made-key').getBoundingClientRect().top < innerHeight");
      // As on plain http, where scripts have no clipboard.
      await screen.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
      await screen.page.locator(".made-key").getByRole("button", { name: "Copy" }).first().click();
      await screen.untilText(".made-key", /Copied\./);
      await screen.page.getByLabel("Name of the device").press("Control+V");
      expect(await screen.page.getByLabel("Name of the device").inputValue()).toBe(key);
      await daemon.clock.runUntil(daemon.clock.now() + 1_000);
      expect(await status(key)).toBe(200);
      await screen.page.reload();
      await screen.untilText("#keys", /phone/);
      expect(await screen.text("#keys")).not.toContain(key);
      await screen.page.getByRole("button", { name: "Revoke phone" }).click();
      await screen.untilText("#keys", /Revoke the key phone\?/);
      // The safe button has the focus.
      await screen.until("document.activeElement.textContent === 'Cancel'");
      await screen.page.keyboard.press("Enter");
      await screen.page.getByRole("button", { name: "Revoke phone" }).click();
      await screen.page.getByRole("button", { name: "Revoke it" }).click();
      await screen.until("!document.querySelector('#keys').textContent.includes('phone')");
      await daemon.clock.runUntil(daemon.clock.now() + 1_000);
      expect(await status(key)).toBe(401);
      // Keys of the configuration can only be revoked there.
      await expect.poll(() => screen.page.getByRole("button", { name: "Revoke kitchen" }).count()).toBe(0);
      expect(screen.errors).toEqual([]);
    });

    test("a backup can be downloaded, and an uploaded one is used at the next start", async () => {
      await using screen = await screens.look(daemon, { view: "system/backup" });
      const downloading = screen.page.waitForEvent("download");
      await screen.page.getByRole("button", { name: "Download a backup" }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toBe("elbro-backup-2026-03-10.db");
      const file = `${daemon.dir.path}/of-the-reader.db`;
      writeFileSync(file, readFileSync(await download.path()));
      expect(readFileSync(file).subarray(0, 15).toString()).toBe("SQLite format 3");
      const restore = async (path: string) => {
        const choosing = screen.page.waitForEvent("filechooser");
        await screen.page.getByRole("button", { name: "Restore a backup" }).click();
        await (await choosing).setFiles(path);
        await screen.untilText("#backup", /Replace all stored data with/);
        await screen.page.getByRole("button", { name: "Replace at the next start" }).click();
      };
      writeFileSync(`${daemon.dir.path}/no-copy.db`, "no database");
      await restore(`${daemon.dir.path}/no-copy.db`);
      await screen.untilText("#backup", /Refused: .*this copy cannot be used/);
      await restore(file);
      await screen.untilText("#backup", /The backup is valid\. Restart elbro to use it/);
      await screen.picture("system-restore");
      await screen.page.getByRole("button", { name: "Cancel the restore" }).click();
      await screen.untilText("#backup", /The restore is cancelled/);
    });

    test("a read-only key shows neither keys nor log nor backup", async () => {
      await using screen = await screens.look(daemon, { key: GUEST_KEY, view: "system" });
      await screen.untilText("#system", /Requests today/);
      await expect.poll(() => screen.page.locator("#keys, #backup, .log-block").count()).toBe(0);
      expect(screen.errors).toEqual([]);
    });

    test.each(SCHEMES)(
      "$scheme, $language: nothing is cut off or overlaps at any size; axe finds no violation, light or dark",
      async (look) => {
        await daemon.post("/local/v1/keys", { name: "a-device-with-the-longest-name-there-is__".slice(0, 40) });
        await daemon.clock.runUntil(daemon.clock.now() + 1_000);
        await using screen = await atKeys(look);
        await typeKeys(screen.page.locator("#key-name"), `telefon-${look.scheme}`);
        await screen.page.locator("#keys form button").click();
        await screen.untilText("#keys", /elbro_/);
        await screen.page.locator(".key-line button").first().click();
        const fits = async (name: string) => {
          for (const size of ["wide", "pad", "phone"] as const) {
            await screen.resize(size);
            await screen.picture(`owner-${name}-${size}-${look.scheme}`, { element: "#system" });
            expect(await screen.page.evaluate(MISFITS)).toEqual([]);
            expect(await screen.page.evaluate(OVERLAPS)).toEqual([]);
          }
          expect(await screen.page.evaluate(SMALL_TARGETS)).toEqual([]);
          if (look.scheme === "light") expect(await violationsInBothSchemes(screen)).toEqual([]);
        };
        await fits("keys");
        await screen.page.locator(".tabs a").last().click();
        await screen.page.locator("#history").waitFor();
        await fits("backup");
        await screen.page.locator(".tabs a").first().click();
        await screen.page.locator(".log-block summary").click();
        await screen.untilText(".log", /API listens/);
        await fits("log");
      },
    );

    test("the log shows new lines, newest first, and can be filtered by level", async () => {
      await using screen = await screens.look(daemon, { view: "system" });
      await screen.page.getByText("English, since the start").click();
      await screen.untilText(".log", /API listens/);
      daemon.simulator.setFaults([{ fault: "status", operation: "*", status: 401, errorCode: "invalid_token" }]);
      await daemon.clock.runUntil(daemon.clock.now() + 26 * HOUR_MS);
      const text = await screen.untilText(".log", /WARN problem: .*API listens/);
      expect(text).toContain("invalid_token");
      await screen.page.getByRole("radio", { name: "Warnings" }).check();
      await screen.until("!document.querySelector('.log').textContent.includes('API listens')");
      await screen.untilText(".log", /WARN problem/);
    });
  },
);
