import { describe, expect, test } from "vitest";
import { VIEWS } from "../../src/dashboard/route.ts";
import {
  DASHBOARD_PLANS,
  type DashboardOptions,
  marketFile,
  startDashboard,
} from "../support/browser/dashboard-daemon.ts";
import { haveChromium, type LookOptions, Screens } from "../support/browser/screen.ts";
import { planEntry } from "../support/plans/plan-topics.ts";

const plansOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) =>
    planEntry({ name: `${name} ${i + 1}`, kind: "window", hours: 1 + (i % 4), from: "20:00", ready_by: "07:00" }),
  );
const NEGATIVE = Array.from({ length: 24 * 6 }, (_, i) => (i % 24 >= 10 && i % 24 < 15 ? -900 : 500 + (i % 24) * 20));

interface State extends DashboardOptions {
  readonly name: string;
  readonly language: string;
}

const STATES: readonly State[] = [
  { name: "usual", language: "da-DK", start: "2026-03-10T15:20:00Z" },
  {
    name: "three-homes",
    language: "sv-SE",
    start: "2026-03-10T15:20:00Z",
    simulator: { homes: ["danish", "swedish"] },
  },
  { name: "no-plans", language: "nb-NO", start: "2026-03-10T15:20:00Z", plans: [] },
  { name: "twelve-plans", language: "en-GB", start: "2026-03-10T15:20:00Z", plans: plansOf(12, "Appliance") },
  {
    name: "long-names",
    language: "da-DK",
    start: "2026-03-10T15:20:00Z",
    plans: plansOf(3, "Gulvvarmeanlægget i det store badeværelse ved haven"),
  },
  {
    name: "problems",
    language: "en-GB",
    start: "2026-03-10T15:20:00Z",
    plans: [...DASHBOARD_PLANS, ...plansOf(5, "Appliance").map((plan) => ({ ...plan, home: "nowhere" }))],
  },
  { name: "25-hours", language: "da-DK", start: "2026-10-25T09:20:00Z" },
  { name: "23-hours", language: "sv-SE", start: "2026-03-29T09:20:00Z" },
  {
    name: "negative",
    language: "en-GB",
    start: "2026-06-01T09:20:00Z",
    simulator: { prices: { csv: marketFile("2026-05-28T22:00:00Z", NEGATIVE) } },
  },
  { name: "no-tomorrow", language: "nb-NO", start: "2026-03-10T08:00:00Z" },
];

const SIZES: readonly NonNullable<LookOptions["size"]>[] = ["phone", "pad", "desk"];

/** `npm run pictures` takes them: every view in every state, at three sizes, light and dark. */
describe.skipIf(!haveChromium || process.env.PICTURES === undefined)("pictures of the dashboard", () => {
  test.each(STATES)("$name", async ({ name, language, ...options }) => {
    await using daemon = await startDashboard(options);
    await using screens = await Screens.start();
    await using screen = await screens.look(daemon, { language });
    await screen.untilText("#now .price", /\d/);
    for (const view of VIEWS) {
      await screen.show(view);
      await screen.page.waitForLoadState("networkidle");
      for (const size of SIZES) {
        await screen.resize(size);
        for (const scheme of ["light", "dark"] as const) {
          await screen.page.emulateMedia({ colorScheme: scheme });
          await screen.picture(`${name}-${view}-${size}-${scheme}`);
        }
      }
    }
    expect(screen.errors).toEqual([]);
  });
});
