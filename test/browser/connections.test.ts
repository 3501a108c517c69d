import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeViolations, MISFITS, OVERLAPS } from "../support/browser/page-checks.ts";
import { type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

const START = Date.parse("2026-03-10T14:20:00Z");
const pageText = (daemon: TestDaemon) => readFileSync(path.join(daemon.dir.path, "page.yaml"), "utf8");

describe.skipIf(lacks("Chromium"))("connections and changes (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let daemon: TestDaemon;
  beforeAll(async () => {
    screens = await Screens.start();
    daemon = await TestDaemon.start({ start: START, simulator: { homes: ["danish"] }, yaml: "language: en\n" });
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await screens?.[Symbol.asyncDispose]();
  });

  const dialog = ({ page }: Screen) => page.getByRole("dialog");

  test("a key is tested and changed; another server asks for it again; the change is listed and can be taken back", async () => {
    await using screen = await screens.look(daemon, { view: "system", size: "phone" });
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
    await screen.untilText("dialog", /is needed again/i);
    expect(await dialog(screen).getByLabel("API key").getAttribute("aria-invalid")).toBe("true");
    await typeKeys(dialog(screen).getByLabel("Address of the service"), daemon.simulator.url);
    await typeKeys(dialog(screen).getByLabel("API key"), "key-that-is-wrong");
    await dialog(screen).getByRole("button", { name: "Test" }).click();
    await screen.untilText("dialog", /The service does not know this key\. .*401/);
    await screen.picture("connection-service-phone");
    expect(await page.evaluate(MISFITS)).toEqual([]);
    await dialog(screen).getByRole("button", { name: "Save" }).click();
    await screen.untilText("#connections", /Electricity service: saved and in use\./);
    expect(pageText(daemon)).toContain("key-that-is-wrong");
    await screen.untilText("#history", /API key: set → set/);
    expect(await page.content()).not.toContain("key-that-is-wrong");

    await page.getByRole("button", { name: "Undo" }).click();
    await screen.untilText(".toast", /Undone\./);
    expect(pageText(daemon)).not.toContain("key-that-is-wrong");
    expect(await page.content()).not.toContain(key);
    expect(await axeViolations(screen)).toEqual([]);
    expect(await page.evaluate(OVERLAPS)).toEqual([]);
  });

  test("all connections are set up again, one after the other", async () => {
    await using screen = await screens.look(daemon, { view: "system" });
    await screen.page.getByRole("button", { name: "Set up again" }).click();
    const step = (number: number, name: string) => dialog(screen).getByText(`Step ${number} of 3: ${name}`).waitFor();
    await step(1, "Electricity service");
    await typeKeys(dialog(screen).getByLabel("Third-party key"), "key-of-the-pair");
    await typeKeys(dialog(screen).getByLabel("Third-party secret"), "secret-of-the-pair");
    await dialog(screen).getByRole("button", { name: "Save" }).click();
    await step(2, "Broker");
    expect(pageText(daemon)).toContain("secret-of-the-pair");
    await screen.untilText("#connections", /Electricity service: saved/);
    expect(await axeViolations(screen)).toEqual([]);
    await dialog(screen).getByRole("button", { name: "Skip" }).click();
    await step(3, "Home Assistant");
    await dialog(screen).getByRole("button", { name: "Skip" }).click();
    await dialog(screen).waitFor({ state: "detached" });
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
    expect(pageText(daemon)).toContain('ready_by: "07:30"');
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
