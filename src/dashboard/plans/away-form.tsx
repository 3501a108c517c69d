/** Form for the holiday of a home, in which its plans do not run. */
import { useEffect, useState } from "preact/hooks";
import type { HolidaysAnswer } from "../../api/away.ts";
import { usePage } from "../page.ts";
import { get, post, refusalIn } from "../requests.ts";
import { refusalText } from "./plan-words.ts";

interface AwayFormProps {
  readonly home: string;
  readonly onClose: (done: string | null) => void;
}

const DATE_LENGTH = "2026-07-01".length;

export function AwayForm({ home, onClose }: AwayFormProps) {
  const { t } = usePage();
  const [saved, setSaved] = useState<{ readonly from: string; readonly until: string } | null>(null);
  const [typed, setTyped] = useState<{ readonly from?: string; readonly until?: string }>({});
  const [wrong, setWrong] = useState("");
  const run = (work: () => Promise<void>) =>
    work().catch((thrown: unknown) => setWrong(refusalText(refusalIn(thrown), t)));
  const read = async () => {
    const { homes } = await get<HolidaysAnswer>("local/v1/away");
    const { from = null, until = null } = homes.find((each) => each.home === home) ?? {};
    if (from !== null && until !== null) setSaved({ from, until });
  };
  useEffect(() => void run(read), [home]);
  const send = (away: object | string) =>
    run(async () => {
      await post(`local/v1/away/${home}`, { away });
      onClose(t(away === "off" ? "away_ended" : "away_saved"));
    });
  return (
    <form
      class="settings once"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send({ from: "", until: "", ...saved, ...typed });
      }}
    >
      {(["from", "until"] as const).map((name) => (
        <div key={name} class="setting">
          <label for={`away-${name}`}>{t(`away_${name}`)}</label>
          <input
            id={`away-${name}`}
            type="date"
            value={typed[name] ?? saved?.[name].slice(0, DATE_LENGTH) ?? ""}
            onInput={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, [name]: value }))}
          />
        </div>
      ))}
      <button type="submit" class="strong">
        {t("save")}
      </button>
      {saved && (
        <button type="button" onClick={() => void send("off")}>
          {t("away_off")}
        </button>
      )}
      <button type="button" onClick={() => onClose(null)}>
        {t("cancel")}
      </button>
      <p class="wrong" role="alert">
        {wrong}
      </p>
    </form>
  );
}
