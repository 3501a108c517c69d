import { describe, expect, test } from "vitest";
import type { ViewName } from "../../src/dashboard/route.ts";
import { differenceFrom } from "../support/browser/compare-picture.ts";
import {
  DASHBOARD_PLANS,
  type DashboardOptions,
  marketFile,
  startDashboard,
} from "../support/browser/dashboard-daemon.ts";
import { type LookOptions, type Screen, Screens } from "../support/browser/screen.ts";
import { openView } from "../support/browser/views.ts";
import { planEntry } from "../support/plans/plan-topics.ts";
import { lacks } from "../support/runner/needs.ts";

type Shot = `${ViewName} ${NonNullable<LookOptions["size"]>} ${"light" | "dark"}`;

interface State extends DashboardOptions {
  readonly name: string;
  readonly language: string;
  readonly shots: readonly Shot[];
  /** Whether its pictures are compared with the stored ones in each run of the tests. */
  readonly isCompared?: boolean;
  /** Text of the overview that shows that the state is there. */
  readonly shows?: RegExp;
}

const plansOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) =>
    planEntry({ name: `${name} ${i + 1}`, kind: "window", hours: 1 + (i % 4), from: "20:00", ready_by: "07:00" }),
  );
const NEGATIVE = Array.from({ length: 24 * 6 }, (_, i) => (i % 24 >= 10 && i % 24 < 15 ? -900 : 500 + (i % 24) * 20));
const AFTERNOON = "2026-03-10T15:20:00Z";

const STATES: readonly State[] = [
  {
    ...{ name: "usual", language: "da-DK", start: AFTERNOON, isCompared: true },
    shots: [
      ...(["now", "prices", "use", "plans", "results", "system"] as const).flatMap((view): Shot[] => [
        `${view} phone light`,
        `${view} wide dark`,
      ]),
    ],
  },
  {
    ...{ name: "twelve-plans", language: "en-GB", start: AFTERNOON, isCompared: true },
    plans: plansOf(12, "Appliance"),
    shots: ["now pad light", "prices wide light", "plans phone dark", "plans wide light"],
  },
  {
    ...{ name: "negative", language: "sv-SE", start: "2026-06-01T09:20:00Z", isCompared: true },
    simulator: { prices: { csv: marketFile("2026-05-28T22:00:00Z", NEGATIVE) } },
    shots: ["now phone light", "prices phone dark", "prices wall light", "plans pad light"],
  },
  {
    ...{ name: "no-home", language: "en-GB", start: AFTERNOON, until: "started" },
    simulator: { faults: [{ fault: "status", operation: "*", status: 401, errorCode: "invalid_token" }] },
    shows: /not known yet/,
    shots: ["now phone light", "now wide dark", "plans phone light", "system phone light"],
  },
  {
    ...{ name: "three-homes", language: "sv-SE", start: AFTERNOON },
    simulator: { homes: ["danish", "swedish", "norwegian"] },
    places: [
      { name: "Cabin", region: "DK1" },
      { name: "Flat", region: "SE3" },
    ],
    shots: ["now pad light", "prices tablet dark", "use pad light", "system wide light"],
  },
  {
    ...{ name: "no-plans", language: "nb-NO", start: AFTERNOON, plans: [] },
    shots: ["now phone light", "plans wide light", "plans phone dark", "results pad light"],
  },
  {
    ...{ name: "problems", language: "en-GB", start: AFTERNOON },
    plans: [...DASHBOARD_PLANS, ...plansOf(20, "Appliance").map((plan) => ({ ...plan, home: "nowhere" }))],
    shots: ["now phone light", "now wide dark", "system phone dark", "system wide light"],
  },
  {
    ...{ name: "25-hours", language: "da-DK", start: "2026-10-25T09:20:00Z" },
    shots: ["prices phone light", "prices wide dark", "now phone dark", "plans pad light"],
  },
  {
    ...{ name: "23-hours", language: "sv-SE", start: "2026-03-29T09:20:00Z" },
    shots: ["prices phone dark", "prices wide light", "plans pad dark", "now tablet light"],
  },
  {
    ...{ name: "no-tomorrow", language: "nb-NO", start: "2026-03-10T08:00:00Z" },
    shots: ["prices phone light", "prices wide dark", "now wide light", "plans pad light"],
  },
  {
    ...{ name: "offline", language: "da-DK", start: AFTERNOON },
    shots: ["now phone light", "now wide dark", "prices wide light", "plans phone light"],
  },
  {
    ...{ name: "long-names", language: "da-DK", start: AFTERNOON },
    plans: plansOf(3, "Gulvvarmeanlægget i det store badeværelse ved haven"),
    shots: [
      ...(["now phone light", "now wide light", "plans phone light", "plans pad dark"] as const),
      ...(["plans wall light", "prices tablet light", "results phone dark", "results wide light"] as const),
    ],
  },
];

const isEach = process.env.PICTURES !== undefined;

/** `npm run pictures` takes 60. Each run of the tests compares 20 of them with those in test/golden/pictures. */
describe.skipIf(lacks("Chromium"))("pictures of the dashboard (in Chromium; skipped if it is not installed)", () => {
  const states = STATES.filter(({ isCompared }) => isEach || isCompared);
  test.each(states)("$name", async ({ name, language, shots, isCompared, shows = /\d/, ...options }) => {
    await using daemon = await startDashboard(options);
    await using screens = await Screens.start();
    await using screen = await screens.look(daemon, { language });
    await using blank = await screens.visit("");
    await screen.untilText("#now", shows);
    if (name === "offline") {
      await screen.page.route("**/events", (route) => route.abort());
      await screen.page.reload();
      await screen.untilText("#contact", /\d/);
    }
    const found: (string | null)[] = [];
    for (const shot of shots) {
      const picture = `${name}-${shot.replaceAll(" ", "-")}`;
      await take(screen, shot, isCompared === true);
      await screen.picture(picture);
      if (isCompared && !isEach) found.push(await differenceFrom(picture, screen, blank.page));
    }
    expect(found.filter((each) => each !== null)).toEqual([]);
    if (name !== "offline") expect(screen.errors).toEqual([]);
  });
});

async function take(screen: Screen, shot: Shot, isComplete: boolean): Promise<void> {
  const [view, size, scheme] = shot.split(" ") as [ViewName, NonNullable<LookOptions["size"]>, "light" | "dark"];
  await screen.resize(size);
  await screen.page.emulateMedia({ colorScheme: scheme });
  if (isComplete) await openView(screen, view);
  else {
    await screen.page.evaluate(`location.hash = "${view}"`);
    await screen.page.locator(`#${view}`).waitFor();
    await screen.page.waitForLoadState("networkidle");
  }
  await screen.resize(size);
}
