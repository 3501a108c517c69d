/** Form for the holiday of a home, in which its plans do not run. */
import { Button } from "../elements.tsx";
import { draftOf } from "../forms/drafts.ts";
import { SchemaForm, useSaving } from "../forms/schema-form.tsx";
import { showChange } from "../history/changes.ts";
import { usePage } from "../page.ts";
import { call } from "../store/requests.ts";
import { useRead } from "../store/use-read.ts";
import type { HomeFormProps } from "./run-once.tsx";

const DATE = { type: "string", format: "date" };
const SCHEMA = { type: "object", properties: { from: DATE, until: DATE }, required: ["from", "until"] };
const DATE_LENGTH = "2026-07-01".length;

export function AwayForm({ home, onClose }: HomeFormProps) {
  const { t } = usePage();
  const draft = `away-${home}`;
  const { mistakes, save } = useSaving(draft);
  const homes = useRead("GET /local/v1/away", {}, home)?.homes;
  const { from = null, until = null } = homes?.find((each) => each.home === home) ?? {};
  const saved = from === null || until === null ? null : { from, until };
  const post = (away: object | string) => call("POST /local/v1/away/:home", { home }, { body: { away } });
  const send = (away: object | string) =>
    save(post(away), () => {
      showChange(t("change_changed", { name: t("away") }), () => post(saved ?? "off"));
      onClose(t(away === "off" ? "away_ended" : "away_saved"));
    });
  if (!homes) return null;
  const dayOf = (text: string) => text.slice(0, DATE_LENGTH);
  return (
    <SchemaForm
      schema={SCHEMA}
      path="away"
      texts={{ "away.from": { label: t("away_from") }, "away.until": { label: t("away_until") } }}
      value={draftOf(draft) ?? (saved ? { from: dayOf(saved.from), until: dayOf(saved.until) } : {})}
      mistakes={mistakes}
      draft={draft}
      onSubmit={(typed) => void send(typed)}
      onCancel={() => onClose(null)}
    >
      {saved && <Button onClick={() => void send("off")} text={t("away_off")} />}
    </SchemaForm>
  );
}
