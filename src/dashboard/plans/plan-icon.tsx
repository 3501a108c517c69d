/** Icon of a plan in the colour of the plan. It is filled while the plan is ON. */
import type { PlanIconName } from "../../core/planning/model/plan-icons.ts";
import { Icon } from "../elements.tsx";
import { usePage } from "../page.ts";
import type { Plan } from "../store/answers.ts";
import { hueStyle } from "./plan-hues.ts";

export const PLAN_ICONS: Readonly<Record<PlanIconName, string>> = {
  plug: "M9 3v5m6-5v5M6 8h12v3a6 6 0 0 1-12 0zm6 9v4",
  dishwasher: "M5 3h14v18H5zM5 8h14M8 5.5h2M12 11l2.4 3.2a3 3 0 1 1-4.8 0z",
  washing_machine: "M5 3h14v18H5zM8 6h2m2 4a4 4 0 1 0 .01 0",
  dryer: "M5 3h14v18H5zM8 6h2m2 4a4 4 0 1 0 .01 0m-2.5 5q1.2-2 2.5-1t2.5-1",
  car: "M3 17v-5l3-6h12l3 6v5zM3 12h18M6 17v2m12-2v2m-3-4.50h2m-10 0h2",
  hot_water: "M6 3h12v15H6zm3 15v3m6-3v3M12 7l2.2 3.2a2.6 2.6 0 1 1-4.4 0z",
  heat_pump: "M3 5h18v14H3zm9 3a4 4 0 1 0 .01 0M12 12l2-3m-2 3 1.5 3.3M12 12H8.5",
  floor_heating: "M4 20h16M8 16c-3-4 2-6 0-11m4 11c-3-4 2-6 0-11m4 11c-3-4 2-6 0-11",
  freezer: "M12 3v18M4.2 7.5l15.6 9m0-9-15.6 9M9.5 4.5 12 7l2.5-2.5m-5 15L12 17l2.5 2.5",
  battery: "M3 8h16v8H3zm18 3v2M7 11v2m4-2v2m4-2v2",
  pool: "M3 15q3-3 6 0t6 0 6 0M3 19.5q3-3 6 0t6 0 6 0M9 13V5.5a2 2 0 0 1 3.5-1M15 13V5.5a2 2 0 0 1 3.5-1M9 9h6",
  light: "M9 18h6m-5 3h4M12 3a6 6 0 0 0-3 11.2V15h6v-.8A6 6 0 0 0 12 3",
};

/** `on` and `state` are absent where the plan's state now does not matter. */
type ShownPlan = Pick<Plan, "id" | "icon"> & Partial<Pick<Plan, "on" | "state">>;

export function PlanIcon({ plan: { id, icon, on, state = "done" } }: { readonly plan: ShownPlan }) {
  const { store } = usePage();
  return (
    <span class={`plan-icon ${on ? "on" : state}`} style={hueStyle(id, store.plans.value)} aria-hidden="true">
      <Icon path={PLAN_ICONS[icon]} />
    </span>
  );
}
