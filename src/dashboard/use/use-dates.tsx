/** Form to choose dates. */
import { DAY_MS } from "../../core/time/interval.ts";
import type { JsonObject } from "../forms/fields.ts";
import { SchemaForm, useSaving } from "../forms/schema-form.tsx";
import { usePage } from "../page.ts";
import { CUSTOM_UNITS, type CustomDates } from "./use-period.ts";
import { MAX_DAYS } from "./use-reading.ts";

const DATE = { type: "string", format: "date" };
const PROPERTIES = { from: DATE, to: DATE, by: { enum: CUSTOM_UNITS } };
const SCHEMA = { type: "object", properties: PROPERTIES, required: Object.keys(PROPERTIES) };

export function DatesForm({
  dates,
  onChoose,
}: Readonly<{ dates: CustomDates; onChoose: (dates: CustomDates) => void }>) {
  const { t } = usePage();
  const { mistakes, refuse } = useSaving();
  const options = Object.fromEntries(CUSTOM_UNITS.map((unit) => [unit, t(`by_${unit}`)]));
  const texts = (["from", "to", "by"] as const).map((name) => [
    `dates.${name}`,
    { label: t(`custom_${name}`), options },
  ]);
  const choose = (typed: JsonObject) => {
    const chosen = { ...dates, ...typed };
    const days = (Date.parse(chosen.to) - Date.parse(chosen.from)) / DAY_MS;
    if (days >= 0 && days < MAX_DAYS) onChoose(chosen);
    else refuse(t("custom_wrong", { days: MAX_DAYS }));
  };
  return (
    <SchemaForm
      schema={SCHEMA}
      path="dates"
      texts={Object.fromEntries(texts)}
      value={{ ...dates }}
      mistakes={mistakes}
      submitText={t("show")}
      onSubmit={choose}
    />
  );
}
