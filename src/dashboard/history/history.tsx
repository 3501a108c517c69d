/** Block with the last changes of plans, plugs, settings and connections, and the way back to an earlier state. */
import { useEffect, useState } from "preact/hooks";
import type { PageState } from "../../api/settings/history.ts";
import { useSystemTexts } from "../context.ts";
import { Answer, Button } from "../elements.tsx";
import { type FormTexts, formTextsIn, labelOf, plainName } from "../forms/form-texts.ts";
import { usePage } from "../page.ts";
import { call } from "../store/requests.ts";
import { Block, ListRow, Sure, useList } from "../system/block.tsx";
import { changeCount } from "./changes.ts";

/** Changes that are shown before "Show all". */
const SHOWN = 5;

type Read = { readonly states: readonly PageState[]; readonly revision: string; readonly texts: FormTexts };

export function History() {
  const t = useSystemTexts();
  const { f } = usePage();
  const [chosen, setChosen] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  const { answerOf, say, run } = useList();
  const read = useStates(run);
  if (!read) return null;
  const restore = (id: string) =>
    run(async () => {
      setChosen(null);
      await call("POST /local/v1/history/:state", { state: id }, read);
      say(t("history_restored"));
    });
  const shown = isWhole ? read.states : read.states.slice(0, SHOWN);
  return (
    <Block id="history" title={t("history")}>
      <p class="faint">{t(read.states.length === 0 ? "history_none" : "history_about")}</p>
      <ul class="key-list">
        {shown.map(({ id, until, differences }) => (
          <ListRow
            key={id}
            id={`state-${id}`}
            name={f.dateTime(Date.parse(until))}
            facts={<Differences of={differences} texts={read.texts} />}
            buttons={
              chosen !== id && (
                <Button class="quiet" aria-describedby={`state-${id}`} onClick={() => setChosen(id)}>
                  {t("history_back")}
                </Button>
              )
            }
          >
            {chosen === id && (
              <Sure
                text={t("history_sure", { time: f.dateTime(Date.parse(until)) })}
                yes={t("history_back")}
                onYes={() => void restore(id)}
                onNo={() => setChosen(null)}
              />
            )}
          </ListRow>
        ))}
      </ul>
      {!isWhole && read.states.length > SHOWN && (
        <Button class="quiet" onClick={() => setWhole(true)} text={t("history_all", { count: read.states.length })} />
      )}
      <Answer text={answerOf()} />
    </Block>
  );
}

/** Returns the earlier states, read again after each change; null before. */
function useStates(run: ReturnType<typeof useList>["run"]): Read | null {
  const { t } = usePage();
  const [read, setRead] = useState<Read | null>(null);
  const load = async () => {
    const [found, texts] = await Promise.all([call("GET /local/v1/history", {}), formTextsIn(t.language)]);
    setRead({ ...found, texts });
  };
  useEffect(() => void run(load), [changeCount.value]);
  return read;
}

function Differences({ of, texts }: { readonly of: PageState["differences"]; readonly texts: FormTexts }) {
  const t = useSystemTexts();
  if (of === null) return <span class="faint">{t("history_unknown")}</span>;
  return of.map(({ path, before, after }) => (
    <span key={path} class="faint">
      {t("history_change", {
        what: labelsOf(texts, path),
        before: shownValue(before, t),
        after: shownValue(after, t),
      })}
    </span>
  ));
}

/** Labels of the keys in a path: `plans.car.hours` is "Car: Hours". */
function labelsOf(texts: FormTexts, path: string): string {
  const [list = "", id = "", ...keys] = path.split(".");
  if (list !== "plans" && list !== "plugs") return labelOf(texts, path);
  return keys.length === 0 ? plainName(id) : `${plainName(id)}: ${labelOf(texts, `${list}[].${keys.join(".")}`)}`;
}

function shownValue(value: unknown, t: ReturnType<typeof useSystemTexts>): string {
  if (value === null || value === undefined) return t("history_nothing");
  if (value === "(set)") return t("setting_secret");
  if (typeof value !== "object") return String(value);
  const name = "name" in value ? value.name : undefined;
  return typeof name === "string" ? name : JSON.stringify(value);
}
