/** Form to choose dates. */
import { useState } from "preact/hooks";
import { DAY_MS } from "../../core/time/interval.ts";
import { Button, Select, Wrong } from "../elements.tsx";
import { LabelledInput } from "../labelled-input.tsx";
import { usePage } from "../page.ts";
import { CUSTOM_UNITS, type CustomDates } from "./use-period.ts";
import { MAX_DAYS } from "./use-reading.ts";

export function DatesForm({
  dates,
  onChoose,
}: Readonly<{ dates: CustomDates; onChoose: (dates: CustomDates) => void }>) {
  const { t } = usePage();
  const [typed, setTyped] = useState(dates);
  const [isWrong, setWrong] = useState(false);
  const choose = (event: Event) => {
    event.preventDefault();
    const days = (Date.parse(typed.to) - Date.parse(typed.from)) / DAY_MS;
    const fits = days >= 0 && days < MAX_DAYS;
    setWrong(!fits);
    if (fits) onChoose(typed);
  };
  return (
    <form class="settings" onSubmit={choose}>
      {(["from", "to"] as const).map((name) => (
        <LabelledInput
          key={name}
          id={`use-${name}`}
          label={t(`custom_${name}`)}
          name={name}
          type="date"
          required
          value={typed[name]}
          onText={(text) => setTyped((before) => ({ ...before, [name]: text }))}
        />
      ))}
      <div class="setting">
        <label for="use-by">{t("custom_by")}</label>
        <Select
          id="use-by"
          name="by"
          value={typed.by}
          options={CUSTOM_UNITS.map((unit) => ({ value: unit, text: t(`by_${unit}`) }))}
          onChoose={(by) =>
            setTyped((before) => ({ ...before, by: CUSTOM_UNITS.find((unit) => unit === by) ?? "day" }))
          }
        />
      </div>
      <Button type="submit" class="strong" text={t("show")} />
      <Wrong text={isWrong && t("custom_wrong", { days: MAX_DAYS })} />
    </form>
  );
}
