/** Pictures of the documentation: `npm run lab -- screenshots` takes them from the demo, on one day of its clock. */

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type LookOptions, type Screen, Screens } from "../support/browser/screen.ts";
import { pageNames, pageText } from "../support/docs/docs-pages.ts";
import { linksOf } from "../support/docs/markdown-links.ts";
import { DaemonProcess } from "../support/processes/daemon-process.ts";
import { lacks } from "../support/runner/needs.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../docs/images");
const MAX_BYTES = 600_000;
const QUALITY = 82;
const AT = "2026-03-10T15:20:00Z";

interface Picture extends LookOptions {
  /** Name of the file, without its end. */
  readonly name: string;
  readonly height: number;
  readonly width?: number;
  /** Opens what is shown, and waits for it. */
  readonly shows: (screen: Screen) => Promise<unknown>;
}

const PICTURES: readonly Picture[] = [
  {
    name: "now",
    height: 800,
    shows: async (screen) => {
      await screen.untilText("#now .price", /\d/);
      await screen.untilText("#now .money .facts", /\d/);
      await screen.page.locator("#now .plot svg").waitFor();
    },
  },
  { name: "prices", view: "prices", height: 720, shows: (screen) => screen.untilText("#prices", /\d/) },
  {
    name: "plan",
    view: "plans/dishwasher",
    height: 760,
    shows: (screen) => screen.untilText("#plans", /Dishwasher/),
  },
  {
    name: "new-plan",
    view: "plans",
    height: 640,
    shows: async ({ page }) => {
      await page.getByRole("button", { name: "New plan" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: /^Car/ }).click();
      await dialog.locator(".preview .plot svg").waitFor();
    },
  },
  { name: "results", view: "results", height: 760, shows: (screen) => screen.untilText("#results", /\d/) },
  { name: "panel", view: "panel", width: 800, height: 480, shows: (screen) => screen.untilText(".wall-price", /\d/) },
  {
    name: "phone",
    width: 390,
    height: 844,
    scheme: "dark",
    hasTouch: true,
    shows: (screen) => screen.untilText("#now .price", /\d/),
  },
];

/** Takes a picture as WebP, which has half the size of a PNG. */
async function webp({ page }: Screen): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  return Buffer.from(data, "base64");
}

describe.skipIf(lacks("Chromium") || process.env.IMAGES !== "update")("IMAGES=update", () => {
  test("takes all pictures", async () => {
    await using daemon = new DaemonProcess(["--clock", AT], { ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0" });
    const url = `${/http:\S+\d/.exec(await daemon.line(/healthz/))?.[0].replace("/healthz", "")}/`;
    await daemon.line(/consumptionCosts.*history filled/);
    await using screens = await Screens.start();
    for (const { name, width = 1200, height, shows, ...options } of PICTURES) {
      await using screen = await screens.visit(url, options);
      await screen.signIn("demo");
      await screen.page.setViewportSize({ width, height });
      await screen.page.goto(options.view === undefined ? url : `${url}#${options.view}`);
      await shows(screen);
      writeFileSync(path.join(FOLDER, `${name}.webp`), await webp(screen));
      expect(screen.errors).toEqual([]);
    }
  });
});

describe("the pictures of the documentation", () => {
  const files = () => readdirSync(FOLDER);

  test("the pictures of the documentation have at most MAX_BYTES, in all", () => {
    expect(
      files()
        .map((name) => statSync(path.join(FOLDER, name)).size)
        .reduce((a, b) => a + b, 0),
    ).toBeLessThan(MAX_BYTES);
    expect(
      files().filter((name) => readFileSync(path.join(FOLDER, name)).toString("latin1", 8, 12) !== "WEBP"),
    ).toEqual([]);
  });

  test("every picture is on a page", () => {
    const shown = pageNames().flatMap((name) => linksOf(pageText(name)).map((link) => path.basename(link)));
    expect(files().filter((name) => !shown.includes(name))).toEqual([]);
    expect(PICTURES.map(({ name }) => `${name}.webp`).toSorted()).toEqual(files().toSorted());
  });
});
