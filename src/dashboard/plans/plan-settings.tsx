/** Form with the settings of a plan. */
import { useState } from "preact/hooks";
import { isShown, type PlanSetting, planSettings, settingRows } from "../../core/planning/setting-rows.ts";
import { Button, Wrong } from "../elements.tsx";
import { LabelledInput } from "../labelled-input.tsx";
import { usePage } from "../page.ts";
import type { Plan } from "../store/answers.ts";
import type { TextName, Translate } from "../words/language.ts";
import { numberMistake, numberText, numberTexts, readNumber } from "../words/number-text.ts";
import { readTime, TIME_INPUT } from "../words/time-text.ts";

export type PlanChange = Readonly<Record<string, string | number | boolean | null>>;

/** Settings with a label. `enabled` is the switch of the card. */
type Field = PlanSetting &
  (TextName extends infer Name ? (Name extends `setting_${infer Setting}` ? Setting : never) : never);

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
  /** Fields that were left after a change. Their mistakes are shown. */
  const [left, setLeft] = useState<readonly Field[]>([]);
  const isField = (name: PlanSetting): name is Field => t.has(`setting_${name}`);
  const fields = planSettings.filter(isField).filter((name) => isShown(name, settings[name]));
  const known = (name: Field) => settings[name]?.value ?? null;
  const changed = fields.flatMap((name) => {
    const text = typed[name];
    const value = text === undefined ? known(name) : settingOf(name, text);
    return value === known(name) ? [] : { name, value, mistake: mistakeIn(name, value, t) };
  });
  const save = async (event: Event) => {
    event.preventDefault();
    setLeft(fields);
    if (changed.some(({ mistake }) => mistake)) return;
    if (changed.length === 0) return onNothing();
    const change = Object.fromEntries(changed.map(({ name, value }) => [name, value]));
    if (await onChange(change)) setTyped({});
  };
  const reset = async (name: Field) => {
    if (await onChange({ [name]: null })) setTyped(({ [name]: _, ...others }) => others);
  };
  return (
    <form class="settings" onSubmit={save} noValidate>
      {fields.map((name) => {
        const mistake = left.includes(name) ? changed.find((each) => each.name === name)?.mistake : undefined;
        const value = known(name);
        const place = `plan-${id}-${name}`;
        return (
          <LabelledInput
            key={name}
            id={place}
            label={t(`setting_${name}`)}
            name={name}
            {...(settingRows[name].limits ? DECIMAL_INPUT : TIME_INPUT)}
            value={typed[name] ?? (typeof value === "number" ? numberText(value, t.language) : String(value ?? ""))}
            aria-invalid={mistake !== undefined}
            aria-describedby={`${place}-mistake`}
            onText={(text) => setTyped((before) => ({ ...before, [name]: text }))}
            onBlur={() => setLeft((before) => [...before.filter((each) => each !== name), name])}
          >
            {settings[name]?.changed && (
              <Button class="quiet" onClick={() => void reset(name)} text={t("as_in_file")} />
            )}
            <Wrong id={`${place}-mistake`} text={mistake} />
          </LabelledInput>
        );
      })}
      <Button type="submit" class="strong" text={t("save")} />
    </form>
  );
}

function mistakeIn(name: Field, value: unknown, t: Translate): string | undefined {
  const { limits } = settingRows[name];
  const wrong = limits && value !== null ? numberMistake(value, limits) : null;
  return wrong ? t(wrong.key, numberTexts(wrong.facts, t.language)) : undefined;
}

/** A text input, because a browser hides the text of a number input that it cannot read in its own language. */
const DECIMAL_INPUT = { inputMode: "decimal" } as const;

/** Returns the value of a field; null resets it to the configuration. Any text that is not a number stays a text. */
function settingOf(name: Field, text: string): string | number | null {
  if (text.trim() === "") return null;
  return settingRows[name].limits ? (readNumber(text) ?? text) : (readTime(text) ?? text);
}
