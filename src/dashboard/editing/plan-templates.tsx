/** Choice of what a new plan is for. Each answer fills the form and leaves three questions; the rest is folded. */
import { Button, Help, Icon } from "../elements.tsx";
import type { JsonObject } from "../forms/fields.ts";
import { PLAN_ICONS } from "../plans/plan-icon.tsx";
import { helpUrl } from "../words/help.ts";
import type { Translate } from "../words/language.ts";

interface Template {
  readonly value: JsonObject;
  /** Fields that are asked for. */
  readonly asks: readonly string[];
}

const TEMPLATES = {
  dishwasher: {
    value: { icon: "dishwasher", kind: "window", hours: 2, kwh: 1.1, from: "19:00", ready_by: "06:30" },
    asks: ["hours", "kwh", "ready_by"],
  },
  car: {
    value: { icon: "car", kind: "slots", hours: 5, kwh: 30, from: "17:00", ready_by: "07:00" },
    asks: ["hours", "kwh", "ready_by"],
  },
  hot_water: {
    value: { icon: "hot_water", kind: "slots", hours: 4, kwh: 6, min_run: 1 },
    asks: ["hours", "kwh", "ready_by"],
  },
  heat_pump: {
    value: { icon: "heat_pump", kind: "avoid", hours: 4, min_pause: "30m" },
    asks: ["hours", "from", "ready_by"],
  },
  freezer: {
    value: { icon: "freezer", kind: "avoid", hours: 2, min_pause: "30m" },
    asks: ["hours", "from", "ready_by"],
  },
} as const satisfies Readonly<Record<string, Template>>;
const NAMES = Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[];

interface PlanTemplatesProps {
  readonly e: Translate<"editing">;
  /** Called with the first value of the form and its questions; without questions for a plan of any other kind. */
  readonly onChoose: (value: JsonObject, asks: readonly string[] | null) => void;
}

export function PlanTemplates({ e, onChoose }: PlanTemplatesProps) {
  return (
    <>
      <p class="soft">
        {e("template")} <Help href={helpUrl("plans")} />
      </p>
      <ul class="templates">
        {NAMES.map((name) => (
          <li key={name}>
            <Button
              onClick={() => {
                const { value, asks } = TEMPLATES[name];
                onChoose({ name: e(`template_${name}`), ...value }, ["name", ...asks]);
              }}
            >
              <strong>
                <Icon path={PLAN_ICONS[name]} /> {e(`template_${name}`)}
              </strong>
              <span class="faint">{e(`template_${name}_about`)}</span>
            </Button>
          </li>
        ))}
        <li>
          <Button onClick={() => onChoose({}, null)}>
            <strong>{e("template_other")}</strong>
            <span class="faint">{e("template_other_about")}</span>
          </Button>
        </li>
      </ul>
    </>
  );
}
