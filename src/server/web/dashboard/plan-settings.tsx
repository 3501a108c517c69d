/** Form with the settings of a plan. */
import { useState } from "preact/hooks";
import type { PlanSetting } from "../../../core/planning/plan-settings.ts";
import { MAX_ENERGY_KWH, MAX_PRICE_LIMITS } from "./accepted-values.ts";
import type { Plan } from "./answers.ts";
import { usePage } from "./page.ts";

export type PlanChange = Readonly<Record<string, string | number | boolean | null>>;

/** Inputs by setting. The setting `enabled` is the switch of the card instead. */
const FIELDS = {
  hours: { type: "number", min: "0.25", max: "24", step: "0.25", inputMode: "decimal" },
  energy: { type: "number", min: "0.5", max: MAX_ENERGY_KWH, step: "0.5", inputMode: "decimal" },
  from: { type: "time" },
  ready_by: { type: "time" },
  max_price: { type: "number", ...MAX_PRICE_LIMITS, step: "0.01", inputMode: "decimal" },
} as const satisfies Partial<Record<PlanSetting, object>>;
type Field = keyof typeof FIELDS;

interface PlanSettingsProps {
  readonly plan: Plan;
  /** Sends a change. Returns whether it was accepted. */
  readonly onChange: (change: PlanChange) => Promise<boolean>;
  readonly onNothing: () => void;
}

/** A field shows the current setting until the user changes it. */
export function PlanSettings({ plan: { id, settings }, onChange, onNothing }: PlanSettingsProps) {
  const { t } = usePage();
  const [typed, setTyped] = useState<Partial<Record<Field, string>>>({});
  const fields = (Object.keys(FIELDS) as Field[]).filter((name) => settings[name]);
  const known = (name: Field) => String(settings[name]?.value ?? "");
  const save = async (event: Event) => {
    event.preventDefault();
    const changed = fields.filter((name) => typed[name] !== undefined && typed[name] !== known(name));
    if (changed.length === 0) return onNothing();
    const change = Object.fromEntries(changed.map((name) => [name, settingOf(name, typed[name] ?? "")]));
    if (await onChange(change)) setTyped({});
  };
  const reset = async (name: Field) => {
    if (await onChange({ [name]: null })) setTyped(({ [name]: _, ...others }) => others);
  };
  return (
    <form class="settings" onSubmit={save}>
      {fields.map((name) => (
        <div key={name} class="setting">
          <label for={`plan-${id}-${name}`}>{t(`setting_${name}`)}</label>
          <input
            id={`plan-${id}-${name}`}
            name={name}
            {...FIELDS[name]}
            value={typed[name] ?? known(name)}
            onInput={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, [name]: value }))}
          />
          {settings[name]?.changed && (
            <button type="button" class="quiet" onClick={() => void reset(name)}>
              {t("as_in_file")}
            </button>
          )}
        </div>
      ))}
      <button type="submit" class="strong">
        {t("save")}
      </button>
    </form>
  );
}

function settingOf(name: Field, text: string): string | number | null {
  if (text === "") return null;
  return FIELDS[name].type === "number" ? Number(text) : text;
}
