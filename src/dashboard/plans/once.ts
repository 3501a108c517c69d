/** Appliances that run once, in the cheapest hours of the next ones, without a plan. */
import { showChange } from "../history/changes.ts";
import type { PageTools } from "../page.ts";
import { call } from "../store/requests.ts";

/** Hours within which a run is over. */
export const ONCE_HOURS = 8;

/** Creates a one-time plan. Undoing it skips its run. Rejects with a Refusal. */
export async function planOnce(body: object, { t, store }: PageTools): Promise<void> {
  const plan = await call("POST /local/v1/plans", {}, { body });
  const skip = () => call("POST /local/v1/plans/:plan", { plan: plan.id }, { body: { command: "skip" } });
  const name = "name" in plan ? plan.name : plan.id;
  showChange(t("change_created", { name }), () => skip().then(() => store.readPlans()));
}
