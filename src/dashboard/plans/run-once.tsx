/** Form for an appliance that runs once, in the cheapest hours of the next ones, without a plan. */
import { useState } from "preact/hooks";
import { showChange } from "../history/changes.ts";
import { type PageTools, usePage } from "../page.ts";
import { call, refusalIn } from "../store/requests.ts";
import { numberText, readNumber } from "../words/number-text.ts";
import { refusalText } from "./plan-words.ts";
import { type HomeFormProps, PlansForm } from "./plans-form.tsx";

/** Hours within which a run is over. */
export const ONCE_HOURS = 8;
const FIRST_HOURS = 2;

/** Creates a one-time plan. Undoing it skips its run. Rejects with a Refusal. */
export async function planOnce(body: object, { t, store }: PageTools): Promise<void> {
  const plan = await call("POST /local/v1/plans", {}, { body });
  const skip = () => call("POST /local/v1/plans/:plan", { plan: plan.id }, { body: { command: "skip" } });
  const name = "name" in plan ? plan.name : plan.id;
  showChange(t("change_created", { name }), () => skip().then(() => store.readPlans()));
}

export function RunOnce({ home, onClose }: HomeFormProps) {
  const page = usePage();
  const { t } = page;
  const [name, setName] = useState("");
  const [hours, setHours] = useState(numberText(FIRST_HOURS, t.language));
  const [within, setWithin] = useState(numberText(ONCE_HOURS, t.language));
  const [wrong, setWrong] = useState("");
  const start = async () => {
    const amount = (text: string) => readNumber(text) ?? text;
    const entry = { once: true, home, name: name.trim() || t("once_name"), kind: "window" };
    try {
      await planOnce({ ...entry, hours: amount(hours), within: amount(within) }, page);
      onClose(t("once_planned"));
    } catch (thrown) {
      setWrong(refusalText(refusalIn(thrown), t));
    }
  };
  const fields = [
    { id: "once-name", label: t("once_what"), value: name, onText: setName, inputMode: "text" },
    { id: "once-hours", label: t("setting_hours"), value: hours, onText: setHours, inputMode: "decimal" },
    { id: "once-within", label: t("once_within"), value: within, onText: setWithin, inputMode: "decimal" },
  ] as const;
  return <PlansForm {...{ fields, wrong, onClose }} submitText={t("once_start")} onSubmit={() => void start()} />;
}
