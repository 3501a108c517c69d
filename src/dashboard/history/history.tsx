/** Block with the last changes of plans, plugs, settings and connections, and the way back to an earlier state. */
import { useEffect, useState } from "preact/hooks";
import type { PageState } from "../../api/history.ts";
import { keyLabel } from "../connections/connection-tools.ts";
import { type FormTexts, formTextsIn, plainName } from "../forms/form-texts.ts";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { ask, get, refusalIn } from "../requests.ts";
import { Sure } from "../system/keys.tsx";
import { useTexts } from "../system/system-context.ts";
import { changeCount } from "./changes.ts";

/** Changes that are shown before "Show all". */
const SHOWN = 5;

interface Read {
  readonly states: readonly PageState[];
  readonly revision: string;
  readonly texts: FormTexts;
}

export function History() {
  const t = useTexts();
  const { t: words, f } = usePage();
  const [read, setRead] = useState<Read | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  const [answer, setAnswer] = useState("");
  const run = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (thrown) {
      setAnswer(refusalText(refusalIn(thrown), words));
    }
  };
  const load = () =>
    run(async () => {
      const [found, texts] = await Promise.all([
        get<Omit<Read, "texts">>("local/v1/history"),
        formTextsIn(words.language),
      ]);
      setRead({ ...found, texts });
    });
  useEffect(() => void load(), [changeCount.value]);
  if (!read) return null;
  const restore = (id: string) =>
    run(async () => {
      setChosen(null);
      await ask("POST", `local/v1/history/${id}`, {}, { "If-Match": `"${read.revision}"` });
      setAnswer(t("history_restored"));
    });
  const shown = isWhole ? read.states : read.states.slice(0, SHOWN);
  return (
    <section class="block" id="history">
      <h3>{t("history")}</h3>
      <p class="faint">{t(read.states.length === 0 ? "history_none" : "history_about")}</p>
      <ul class="key-list">
        {shown.map(({ id, until, differences }) => (
          <li key={id}>
            <div class="key-line">
              <p id={`state-${id}`}>
                <strong>{f.dateTime(Date.parse(until))}</strong>
                {differences === null && <span class="faint">{t("history_unknown")}</span>}
                {differences?.map(({ path, before, after }) => (
                  <span key={path} class="faint">
                    {t("history_change", {
                      what: labelsOf(read.texts, path, t),
                      before: shownValue(before, t),
                      after: shownValue(after, t),
                    })}
                  </span>
                ))}
              </p>
              {chosen !== id && (
                <button type="button" class="quiet" aria-describedby={`state-${id}`} onClick={() => setChosen(id)}>
                  {t("history_back")}
                </button>
              )}
            </div>
            {chosen === id && (
              <Sure
                text={t("history_sure", { time: f.dateTime(Date.parse(until)) })}
                yes={t("history_back")}
                onYes={() => void restore(id)}
                onNo={() => setChosen(null)}
              />
            )}
          </li>
        ))}
      </ul>
      {!isWhole && read.states.length > SHOWN && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          {t("history_all", { count: read.states.length })}
        </button>
      )}
      <p class="answer" role="status">
        {answer}
      </p>
    </section>
  );
}

/** Labels of the keys in a path: `plans.car.hours` is "Car: Hours". */
function labelsOf(texts: FormTexts, path: string, t: ReturnType<typeof useTexts>): string {
  const [list = "", id = "", ...keys] = path.split(".");
  const isEntry = list === "plans" || list === "plugs";
  const key = isEntry ? `${list}[].${keys.join(".")}` : path;
  const ofConnection = keyLabel(t, path);
  const label = texts[key]?.label ?? (ofConnection === path ? plainName((keys.at(-1) ?? id) || list) : ofConnection);
  if (!isEntry) return label;
  return keys.length === 0 ? plainName(id) : `${plainName(id)}: ${label}`;
}

function shownValue(value: unknown, t: ReturnType<typeof useTexts>): string {
  if (value === null || value === undefined) return t("history_nothing");
  if (value === "(set)") return t("setting_secret");
  if (typeof value !== "object") return String(value);
  const name = "name" in value ? value.name : undefined;
  return typeof name === "string" ? name : JSON.stringify(value);
}
