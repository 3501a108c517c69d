/** Form for an appliance that runs once, in the cheapest hours of the next ones, without a plan. */
import { draftOf } from "../forms/drafts.ts";
import { SchemaForm, useSaving } from "../forms/schema-form.tsx";
import { usePage } from "../page.ts";
import { ONCE_HOURS, planOnce } from "./once.ts";

const DRAFT = "once";
/** A number, or a text such as `1h30m`. */
const AMOUNT = { anyOf: [{ type: "number" }, { type: "string" }] };
const SCHEMA = { type: "object", properties: { name: { type: "string" }, hours: AMOUNT, within: AMOUNT } };

/** What a form about a home gets. It is closed with the text of what was done; null without any. */
export type HomeFormProps = { readonly home: string; readonly onClose: (done: string | null) => void };

export function RunOnce({ home, onClose }: HomeFormProps) {
  const page = usePage();
  const { t } = page;
  const { mistakes, save } = useSaving(DRAFT);
  const labels = { name: "once_what", hours: "setting_hours", within: "once_within" } as const;
  const texts = Object.entries(labels).map(([name, label]) => [`once.${name}`, { label: t(label) }]);
  const entry = { once: true, home, name: t("once_name"), kind: "window" };
  return (
    <SchemaForm
      schema={SCHEMA}
      path="once"
      texts={Object.fromEntries(texts)}
      value={draftOf(DRAFT) ?? { hours: 2, within: ONCE_HOURS }}
      mistakes={mistakes}
      draft={DRAFT}
      submitText={t("once_start")}
      onSubmit={(typed) => void save(planOnce({ ...entry, ...typed }, page), () => onClose(t("once_planned")))}
      onCancel={() => onClose(null)}
    />
  );
}
