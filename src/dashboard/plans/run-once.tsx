/** Form for an appliance that runs once, in the cheapest hours of the next ones, without a plan. */
import { useState } from "preact/hooks";
import { numberText, readNumber } from "../number-text.ts";
import { usePage } from "../page.ts";
import { post, refusalIn } from "../requests.ts";
import { refusalText } from "./plan-words.ts";

/** Hours within which a run is over. */
export const ONCE_HOURS = 8;
const FIRST_HOURS = 2;

interface RunOnceProps {
  readonly home: string;
  readonly onClose: (done: string | null) => void;
}

export function RunOnce({ home, onClose }: RunOnceProps) {
  const { t } = usePage();
  const [name, setName] = useState("");
  const [hours, setHours] = useState(numberText(FIRST_HOURS, t.language));
  const [within, setWithin] = useState(numberText(ONCE_HOURS, t.language));
  const [wrong, setWrong] = useState("");
  const start = async (event: Event) => {
    event.preventDefault();
    const amount = (text: string) => readNumber(text) ?? text;
    const entry = { once: true, home, name: name.trim() || t("once_name"), kind: "window" };
    try {
      await post("local/v1/plans", { ...entry, hours: amount(hours), within: amount(within) });
      onClose(t("once_planned"));
    } catch (thrown) {
      setWrong(refusalText(refusalIn(thrown), t));
    }
  };
  const fields = [
    { id: "once-name", label: t("once_what"), value: name, put: setName, mode: "text" },
    { id: "once-hours", label: t("setting_hours"), value: hours, put: setHours, mode: "decimal" },
    { id: "once-within", label: t("once_within"), value: within, put: setWithin, mode: "decimal" },
  ] as const;
  return (
    <form class="settings once" onSubmit={(event) => void start(event)} noValidate>
      {fields.map(({ id, label, value, put, mode }) => (
        <div key={id} class="setting">
          <label for={id}>{label}</label>
          <input
            id={id}
            type="text"
            inputMode={mode}
            autocomplete="off"
            value={value}
            onInput={({ currentTarget }) => put(currentTarget.value)}
          />
        </div>
      ))}
      <button type="submit" class="strong">
        {t("once_start")}
      </button>
      <button type="button" onClick={() => onClose(null)}>
        {t("cancel")}
      </button>
      <p class="wrong" role="alert">
        {wrong}
      </p>
    </form>
  );
}
