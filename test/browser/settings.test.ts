import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MINUTE_MS } from "../../src/core/time/interval.ts";
import {
  axeViolations,
  MISFITS,
  OVERLAPS,
  SMALL_TARGETS,
  violationsInBothSchemes,
} from "../support/browser/page-checks.ts";
import { type LookOptions, type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { MACHINE, openPort } from "../support/http/machine.ts";
import { EmulatedNtfy } from "../support/notify/emulated-ntfy.ts";
import { lacks } from "../support/runner/needs.ts";

const START = Date.parse("2026-03-10T14:20:00Z");
const HOUSE = `# How elbro speaks
language: da # as we speak
levels:
  # Cheaper than usual here
  cheap: 0.85
`;

const SIZES_SHOWN = ["wide", "pad", "phone"] as const;

const fileText = (daemon: TestDaemon) => readFileSync(path.join(daemon.dir.path, "page.yaml"), "utf8");

describe.skipIf(lacks("Chromium"))("settings on the dashboard (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  beforeAll(async () => {
    screens = await Screens.start();
  });
  afterAll(() => screens?.[Symbol.asyncDispose]());

  const started = (yaml = HOUSE) => TestDaemon.start({ start: START, simulator: { homes: ["danish"] }, yaml });
  async function looking(daemon: TestDaemon, options: LookOptions = {}): Promise<Screen> {
    const screen = await screens.look(daemon, { view: "settings", ...options });
    await screen.page.locator("#settings li").first().waitFor();
    return screen;
  }
  const dialog = ({ page }: Screen) => page.getByRole("dialog");
  const change = async (screen: Screen, name: string) => {
    await screen.page.locator(`#settings button[aria-describedby="setting-${name}"]`).click();
    await dialog(screen).waitFor();
  };

  test("notifications are set up, tested and switched off; the topic is not shown again", async () => {
    await using ntfy = await EmulatedNtfy.start();
    await using daemon = await started();
    await using screen = await looking(daemon, { size: "phone" });
    const { page } = screen;
    await screen.untilText("#settings", /Notifications not set up/);
    await expect.poll(() => page.getByRole("button", { name: "Send a test" }).count()).toBe(0);

    await change(screen, "notify");
    await screen.untilText("dialog", /A change takes effect at once/);
    await typeKeys(dialog(screen).getByLabel("Quiet hours"), "22:00-07:00");
    await dialog(screen).getByRole("button", { name: "Save" }).click();
    await screen.untilText("dialog", /Topic .*expected the URL of a topic/i);
    await typeKeys(dialog(screen).getByLabel("Topic"), `${ntfy.origin}/house-4821`);
    await dialog(screen).getByLabel("Any other problem").uncheck();
    await screen.picture("setting-notify-phone");
    await dialog(screen).getByRole("button", { name: "Save" }).click();
    await screen.untilText("#settings", /Notifications: saved and in use\./);
    expect(await page.locator("#settings").textContent()).not.toContain("house-4821");
    await screen.untilText("#settings", /Topic: set · Send: Tomorrow’s prices, .* · Quiet hours: 22:00-07:00/);

    await page.getByRole("button", { name: "Send a test" }).click();
    await screen.untilText("#settings", /The ntfy server has accepted the test/);
    // Notifications apply at once: what holds now may come before or after the test.
    const sent = { topic: "house-4821", message: "Notifikationer fra elbro vises her." };
    expect(ntfy.messages).toContainEqual(expect.objectContaining(sent));
    ntfy.fault = { status: 403 };
    await page.getByRole("button", { name: "Send a test" }).click();
    await screen.untilText("#settings", /Refused: the server answered with status 403: forbidden/);

    await change(screen, "notify");
    expect(await dialog(screen).getByLabel("Topic").inputValue()).toBe("");
    await screen.untilText("dialog", /Topic Remove it Set and not shown\. Leave this empty to keep it\./);
    await dialog(screen).getByRole("button", { name: "Reset" }).click();
    await screen.untilText("#settings", /Notifications not set up/);
    expect(fileText(daemon)).not.toContain("notify");
    const refused = "Failed to load resource: the server responded with a status of 409 (Conflict)";
    expect(screen.errors).toEqual([refused, refused]);
  });

  test("`Test now` of a problem shows why it still fails, and sends what works again", async () => {
    await using ntfy = await EmulatedNtfy.start();
    ntfy.fault = { status: 403 };
    await using daemon = await started(`${HOUSE}notify: { topic_url: "${ntfy.origin}/house-4821" }\n`);
    await daemon.clock.runUntil(START + 2 * MINUTE_MS);
    await using screen = await screens.look(daemon, { view: "system" });
    await screen.untilText("#problems", /403/);
    const test = screen.page.locator("#problems").getByRole("button", { name: "Test now" });
    const before = ntfy.requests;
    await test.click();
    await screen.untilText("#problems .answer", /403: forbidden/);
    expect(ntfy.requests).toBe(before + 1);
    ntfy.fault = null;
    await test.click();
    await screen.untilText("#problems .answer", /works/);
    expect(ntfy.messages.at(-1)?.message).toBe("Notifikationer fra elbro vises her.");
  });

  test("settings on the dashboard levels apply at once, and a language waits for the restart", async () => {
    await using daemon = await started();
    await using screen = await looking(daemon);
    await screen.untilText("#settings", /Price levels Cheap: 0\.85/);
    await change(screen, "levels");
    await typeKeys(dialog(screen).getByLabel("Cheap", { exact: true }), "0,5");
    await dialog(screen).getByRole("button", { name: "Save" }).click();
    await dialog(screen).getByRole("alert").filter({ hasText: "very_cheap < cheap" }).waitFor();
    await typeKeys(dialog(screen).getByLabel("Cheap", { exact: true }), "0,8");
    await dialog(screen).getByRole("button", { name: "Save" }).click();
    await screen.untilText("#settings", /Price levels: saved and in use\./);
    expect(fileText(daemon)).toContain("levels:\n    cheap: 0.8\n");

    await change(screen, "language");
    await screen.untilText("dialog", /A change takes effect when elbro is restarted/);
    await dialog(screen).getByLabel("Language").selectOption({ label: "Svenska" });
    await dialog(screen).getByRole("button", { name: "Save" }).click();
    await screen.untilText("#settings", /Restart elbro to use it\. .*take effect after a restart of elbro: Language/);
    expect(fileText(daemon)).toContain("language: sv\n");
    await daemon.restart();
    await using again = await looking(daemon);
    await again.untilText("#settings", /Language Svenska/);
    expect(await again.text("#settings")).not.toContain("restart of elbro");
  });

  describe("looks", () => {
    let daemon: TestDaemon;
    beforeAll(async () => {
      daemon = await started(`${HOUSE}notify: { topic_url: "http://127.0.0.1:9/house", token: tk_1 }\n`);
    });
    afterAll(() => daemon?.[Symbol.asyncDispose]());

    test.each([
      ["light", "da-DK"],
      ["dark", "sv-SE"],
    ] as const)(
      "%s, %s: nothing is cut off at any size; axe finds no violation, light or dark",
      async (scheme, language) => {
        await using screen = await looking(daemon, { scheme, language });
        for (const size of SIZES_SHOWN) {
          await screen.resize(size);
          await screen.picture(`settings-${size}-${scheme}`, { element: "#system" });
          expect(await screen.page.evaluate(MISFITS)).toEqual([]);
          expect(await screen.page.evaluate(OVERLAPS)).toEqual([]);
        }
        await change(screen, "notify");
        for (const size of SIZES_SHOWN) {
          await screen.resize(size);
          await screen.picture(`setting-notify-${size}-${scheme}`, "screen");
          expect(await screen.page.evaluate(MISFITS)).toEqual([]);
        }
        expect(await screen.page.evaluate(SMALL_TARGETS)).toEqual([]);
        if (scheme === "light") expect(await violationsInBothSchemes(screen)).toEqual([]);
      },
    );
  });

  describe("connections and changes", () => {
    let daemon: TestDaemon;
    beforeAll(async () => {
      daemon = await started("language: en\n");
    });
    afterAll(() => daemon?.[Symbol.asyncDispose]());

    test("a key is tested and changed; another server asks for it again; the change is listed and can be taken back", async () => {
      await using screen = await screens.look(daemon, { view: "system/connections", size: "phone" });
      const { page } = screen;
      const key = daemon.simulator.keys.consumerKey ?? "";
      const row = page.locator("#connections li").first();
      await screen.untilText(
        "#connections",
        /Electricity service API key: set · Address of the service: http:\/\/127\.0\.0\.1/,
      );
      await row.getByRole("button", { name: "Test" }).click();
      await screen.untilText("#connections", /It works\./);

      await row.getByRole("button", { name: "Edit" }).click();
      await dialog(screen).waitFor();
      await typeKeys(dialog(screen).getByLabel("Address of the service"), "http://127.0.0.1:9");
      await typeKeys(dialog(screen).getByLabel("API key"), "key-of-a-draft");
      await page.keyboard.press("Escape");
      await dialog(screen).waitFor({ state: "detached" });
      await row.getByRole("button", { name: "Edit" }).click();
      await screen.untilText("dialog", /Your earlier entries are here again/);
      expect(await dialog(screen).getByLabel("Address of the service").inputValue()).toBe("http://127.0.0.1:9");
      expect(await dialog(screen).getByLabel("API key").inputValue()).toBe("");
      expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("key-of-a-draft");
      await dialog(screen).getByRole("button", { name: "Test" }).click();
      await screen.untilText("dialog", /is needed again, because “Address of the service” names another server/i);
      expect(await dialog(screen).getByLabel("API key").getAttribute("aria-invalid")).toBe("true");
      await typeKeys(dialog(screen).getByLabel("Address of the service"), daemon.simulator.url);
      await expect.poll(() => dialog(screen).getByRole("button", { name: "Show" }).count()).toBe(0);
      await typeKeys(dialog(screen).getByLabel("API key"), "key-that-is-wrong");
      await dialog(screen).getByRole("button", { name: "Show" }).click();
      expect(await dialog(screen).getByLabel("API key").getAttribute("type")).toBe("text");
      await dialog(screen).getByRole("button", { name: "Save", exact: true }).click();
      await screen.untilText("dialog", /The service does not know this key\. .*401/);
      await screen.picture("connection-service-phone");
      expect(await page.evaluate(MISFITS)).toEqual([]);
      await dialog(screen).getByRole("button", { name: "Save anyway" }).click();
      await screen.untilText("#connections", /Electricity service: saved and in use\./);
      expect(fileText(daemon)).toContain("key-that-is-wrong");
      const said = "Changed: Electricity service. A secret that was replaced does not come back.";
      await page.locator(".toast").filter({ hasText: said }).getByRole("button", { name: "Undo" }).click();
      await screen.untilText(".toast", /Undone\./);
      expect(fileText(daemon)).not.toContain("key-that-is-wrong");
      await page.getByRole("link", { name: "Backup and changes" }).click();
      await screen.untilText("#history", /Changed: Electricity service 10 Mar.* · \w+ .*API key: changed/);
      expect(await page.content()).not.toContain("key-that-is-wrong");
      expect(await page.content()).not.toContain(key);
      expect(await axeViolations(screen)).toEqual([]);
      expect(await page.evaluate(OVERLAPS)).toEqual([]);
    });

    test("the address of a machine is completed by the port that answers, which the form shows", async () => {
      await using _ = await openPort(8883);
      await using screen = await screens.look(daemon, { view: "system/connections" });
      await screen.page.locator('#connections button[aria-describedby="setting-mqtt"]').last().click();
      await typeKeys(dialog(screen).getByLabel("User name"), "elbro");
      await typeKeys(dialog(screen).getByLabel("Password"), "word-of-the-broker");
      await typeKeys(dialog(screen).getByLabel("Address of the broker"), MACHINE);
      await dialog(screen).getByRole("button", { name: "Test" }).click();
      await screen.untilText("dialog", /No connection to the broker\./);
      const url = `mqtts://${MACHINE}:8883`;
      expect(await dialog(screen).getByLabel("Address of the broker").inputValue()).toBe(url);
      expect(await dialog(screen).getByLabel("User name").inputValue()).toBe("elbro");
      await dialog(screen).getByRole("button", { name: "Save anyway" }).click();
      await dialog(screen).waitFor({ state: "detached" });
      expect(fileText(daemon)).toMatch(new RegExp(`url: ${url}\n.*\n.*password: word-of-the-broker`));
    });

    test("what was typed is there again after Escape and a reload, and is asked about before it is discarded", async () => {
      await using screen = await screens.look(daemon, { view: "plans" });
      const { page } = screen;
      const open = async () => {
        await page.locator("#plans").getByRole("button", { name: "New plan" }).click();
        await dialog(screen).waitFor();
      };
      const openNew = async () => {
        await open();
        await dialog(screen).getByRole("button", { name: "Something else" }).click();
      };
      await openNew();
      await typeKeys(dialog(screen).getByLabel("Name", { exact: true }), "Washer");
      await typeKeys(dialog(screen).getByLabel("Ready by"), "730");
      await page.keyboard.press("Escape");
      await dialog(screen).waitFor({ state: "detached" });
      await page.reload();
      await open();
      await screen.untilText("dialog", /Your earlier entries are here again/);
      expect(await dialog(screen).getByLabel("Name", { exact: true }).inputValue()).toBe("Washer");
      expect(await dialog(screen).getByLabel("Ready by").inputValue()).toBe("07:30");
      await dialog(screen).getByRole("button", { name: "Save" }).click();
      await dialog(screen).waitFor({ state: "detached" });
      expect(fileText(daemon)).toContain('ready_by: "07:30"');
      await page.getByRole("button", { name: "Undo" }).waitFor();

      await openNew();
      expect(await dialog(screen).getByLabel("Name", { exact: true }).inputValue()).toBe("");
      await typeKeys(dialog(screen).getByLabel("Ready by"), "25:00");
      await dialog(screen).getByLabel("Name", { exact: true }).click();
      await screen.untilText("dialog", /Enter a time of day from 00:00 to 23:59/);
      await dialog(screen).getByRole("button", { name: "Cancel" }).click();
      await screen.untilText("dialog", /Discard what you entered\?/);
      await dialog(screen).getByRole("button", { name: "Discard entries" }).click();
      await dialog(screen).waitFor({ state: "detached" });
      await openNew();
      expect(await dialog(screen).getByLabel("Ready by").inputValue()).toBe("");
    });
  });
});
