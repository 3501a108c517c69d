/** Form for the holiday of a home, in which its plans do not run. */

import { useEffect, useState } from "preact/hooks";
import { Button } from "../elements.tsx";
import { showChange } from "../history/changes.ts";
import { usePage } from "../page.ts";
import { call, refusalIn } from "../store/requests.ts";
import { refusalText } from "./plan-words.ts";
import { type HomeFormProps, PlansForm } from "./plans-form.tsx";

const DATE_LENGTH = "2026-07-01".length;

export function AwayForm({ home, onClose }: HomeFormProps) {
  const { t } = usePage();
  const [saved, setSaved] = useState<{ readonly from: string; readonly until: string } | null>(null);
  const [typed, setTyped] = useState<{ readonly from?: string; readonly until?: string }>({});
  const [wrong, setWrong] = useState("");
  const run = (work: () => Promise<void>) =>
    work().catch((thrown: unknown) => setWrong(refusalText(refusalIn(thrown), t)));
  const read = async () => {
    const { homes } = await call("GET /local/v1/away", {});
    const { from = null, until = null } = homes.find((each) => each.home === home) ?? {};
    if (from !== null && until !== null) setSaved({ from, until });
  };
  useEffect(() => void run(read), [home]);
  const send = (away: object | string) =>
    run(async () => {
      const post = (body: object) => call("POST /local/v1/away/:home", { home }, { body });
      await post({ away });
      showChange(t("change_changed", { name: t("away") }), () => post({ away: saved ?? "off" }));
      onClose(t(away === "off" ? "away_ended" : "away_saved"));
    });
  const fields = (["from", "until"] as const).map((name) => ({
    id: `away-${name}`,
    label: t(`away_${name}`),
    type: "date" as const,
    value: typed[name] ?? saved?.[name].slice(0, DATE_LENGTH) ?? "",
    onText: (text: string) => setTyped((before) => ({ ...before, [name]: text })),
  }));
  const submit = () => void send({ from: "", until: "", ...saved, ...typed });
  return (
    <PlansForm fields={fields} submitText={t("save")} wrong={wrong} onSubmit={submit} onClose={onClose}>
      {saved && <Button onClick={() => void send("off")} text={t("away_off")} />}
    </PlansForm>
  );
}
