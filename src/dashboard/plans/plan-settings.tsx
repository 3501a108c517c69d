/** Form with the settings of a plan. An empty field has the value of the configuration. */
import { useState } from "preact/hooks";
import type { PlanAction } from "../../core/planning/plan-commands.ts";
import { isShown, type PlanSetting, planSettings, settingRows } from "../../core/planning/setting-rows.ts";
import { draftOf, dropDraft, keepDraft } from "../forms/drafts.ts";
import { type JsonObject, type JsonSchema, TIME_PATTERN } from "../forms/fields.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { usePage } from "../page.ts";
import type { Plan } from "../store/answers.ts";
import type { Mistake } from "../store/error-texts.ts";
import type { TextName } from "../words/language.ts";

export type SentCommand = { readonly command: PlanAction };
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

const NO_MISTAKES: readonly Mistake[] = [];

export function PlanSettings({ plan: { id, settings }, onChange, onNothing }: PlanSettingsProps) {
  const { t } = usePage();
  const draft = `adjust-${id}`;
  const isField = (name: PlanSetting): name is Field => t.has(`setting_${name}`);
  const names = planSettings.filter(isField).filter((name) => isShown(name, settings[name]));
  const [saves, setSaves] = useState(0);
  const known = (name: Field) => settings[name]?.value ?? null;
  const values = Object.fromEntries(names.map((name) => [name, known(name)]));
  const texts = names.map((name) => {
    const about = settings[name]?.changed ? t("setting_changed") : "";
    return [`adjust.${name}`, { label: t(`setting_${name}`), about }] as const;
  });
  const changesIn = (typed: JsonObject) => {
    const changed = names.filter((name) => (typed[name] ?? null) !== known(name));
    return Object.fromEntries(changed.map((name) => [name, (typed[name] ?? null) as string | number | null]));
  };
  const send = async (typed: JsonObject) => {
    const change = changesIn(typed);
    if (Object.keys(change).length === 0) return onNothing();
    if (!(await onChange(change))) return;
    dropDraft(draft);
    setSaves((count) => count + 1);
  };
  const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, schemaOf(name)])) };
  return (
    <SchemaForm
      key={saves}
      schema={schema}
      path="adjust"
      texts={Object.fromEntries(texts)}
      value={{ ...values, ...draftOf(draft) }}
      mistakes={NO_MISTAKES}
      onSubmit={(typed) => void send(typed)}
      onChange={(typed) => keepDraft(draft, changesIn(typed), schema)}
    />
  );
}

function schemaOf(name: Field): JsonSchema {
  const { limits } = settingRows[name];
  if (!limits) return { type: "string", pattern: TIME_PATTERN };
  return { type: "number", minimum: limits.min, maximum: limits.max };
}
