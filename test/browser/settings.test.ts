import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MINUTE_MS } from "../../src/core/time/interval.ts";
import { MISFITS, OVERLAPS, SMALL_TARGETS, violationsInBothSchemes } from "../support/browser/page-checks.ts";
import { type LookOptions, type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
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
    const screen = await screens.look(daemon, { view: "system", ...options });
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
    await screen.untilText("dialog", /Use Notifications as in the configuration file again\?/);
    await dialog(screen).getByRole("group").getByRole("button", { name: "Reset" }).click();
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
    await using screen = await looking(daemon);
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
});
