/** Opens the views of the dashboard one after the other in the same page, and says when each is complete. */
import { expect } from "vitest";
import type { ViewName } from "../../../src/dashboard/route.ts";
import type { Screen } from "./screen.ts";

/** Text that a view shows when its data has been read and drawn. */
const COMPLETE: Readonly<Record<ViewName, readonly [selector: string, text: RegExp]>> = {
  now: ["#now .money .facts", /\d/],
  prices: ["#prices .readout", /\d/],
  use: ["#use .use-card .facts", /\/kWh.*\/kWh/],
  plans: ["#plans .plan-rows", /\d/],
  results: ["#results .block >> nth=0", /\w/],
  system: ["#system .block >> nth=1", /\d/],
};

/** Opens a view by its address and waits until it is complete. */
export async function openView(screen: Screen, view: ViewName): Promise<void> {
  await screen.page.evaluate(`location.hash = ${JSON.stringify(view)}`);
  await screen.untilText(...COMPLETE[view]);
  await screen.settled(view);
}

/** Waits for the log-in with a page whose clock runs ahead: a refused event stream is opened again after seconds. */
export async function untilLogIn({ page }: Screen): Promise<void> {
  await page.clock.install();
  const heading = page.getByRole("heading", { name: "Log in" });
  await expect
    .poll(
      async () => {
        await page.clock.fastForward(1_000);
        return heading.isVisible();
      },
      { interval: 200 },
    )
    .toBe(true);
}

/** Opens the row of a plan in the view of the plans. */
export async function unfold({ page }: Screen, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true, expanded: false }).click();
}
