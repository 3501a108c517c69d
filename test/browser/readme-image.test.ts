import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { DASHBOARD_PLANS, startDashboard } from "../support/browser/dashboard-daemon.ts";
import { haveChromium, Screens } from "../support/browser/screen.ts";

const IMAGE = path.resolve(import.meta.dirname, "../../docs/images/dashboard.png");
const MAX_BYTES = 150_000;

test.skipIf(!haveChromium || process.env.IMAGES !== "update")(
  "IMAGES=update writes the picture of the dashboard for README.md",
  async () => {
    await using daemon = await startDashboard({ start: "2026-03-10T13:20:00Z", plans: DASHBOARD_PLANS });
    await daemon.untilTomorrow();
    await daemon.clock.runUntil(Date.parse("2026-03-10T15:20:00Z"));
    await using screens = await Screens.start();
    await using screen = await screens.look(daemon, { size: "desk" });
    await screen.page.setViewportSize({ width: 1280, height: 620 });
    await screen.untilText("#now .price", /\d/);
    await screen.untilText("#now .money .facts", /\d/);
    await screen.untilText("#now .next-runs", /Car/);
    await screen.page.screenshot({ path: IMAGE });
  },
);

test("the picture in README.md is a PNG of at most 150 kB", () => {
  const image = readFileSync(IMAGE);
  expect(image.subarray(1, 4).toString()).toBe("PNG");
  expect(image.length).toBeLessThanOrEqual(MAX_BYTES);
  expect(readFileSync(path.resolve(IMAGE, "../../../README.md"), "utf8")).toContain("docs/images/dashboard.png");
});
