/** Block with the last changes of plans, plugs, settings and connections, and the way back to an earlier state. */
import { useEffect, useState } from "preact/hooks";
import type { PageState } from "../../api/settings/history.ts";
import { useSystemTexts } from "../context.ts";
import { Answer, Button } from "../elements.tsx";
import { type FormTexts, formTextsIn } from "../forms/form-texts.ts";
import { usePage } from "../page.ts";
import { call, readOrLast } from "../store/requests.ts";
import { Block, ListRow, useList } from "../system/block.tsx";
import { changeText, fieldChange } from "./change-words.ts";
import { changeCount } from "./changes.ts";

type Read = { readonly states: readonly PageState[]; readonly revision: string; readonly texts: FormTexts };

export function History() {
  const t = useSystemTexts();
  const { answerOf, run } = useList();
  const read = useStates(run);
  if (!read) return null;
  const restore = (id: string) => run(() => call("POST /local/v1/history/:state", { state: id }, read));
  return (
    <Block id="history" title={t("history")}>
      <p class="faint">{t(read.states.length === 0 ? "history_none" : "history_about")}</p>
      <ul class="key-list">
        {read.states.map((state) => (
          <StateRow key={state.id ?? state.until} of={state} texts={read.texts} onRestore={(id) => void restore(id)} />
        ))}
      </ul>
      <Answer text={answerOf()} />
    </Block>
  );
}

/** A change. The state before it is restored without a question, because that can be undone too. */
function StateRow({
  of,
  texts,
  onRestore,
}: Readonly<{ of: PageState; texts: FormTexts; onRestore: (id: string) => void }>) {
  const t = useSystemTexts();
  const page = usePage();
  const { id, until, by, differences } = of;
  const time = page.f.dateTime(Date.parse(until));
  const name = `state-${id ?? until}`;
  return (
    <ListRow
      id={name}
      name={changeText(of, page, texts) ?? page.t("saved")}
      facts={
        <>
          <span class="faint">{by === null ? time : `${time} · ${by}`}</span>
          {differences === null && <span class="faint">{t("history_unknown")}</span>}
          {differences?.map((each) => (
            <span key={each.path} class="faint">
              {fieldChange(each, page, { texts, system: t })}
            </span>
          ))}
        </>
      }
      buttons={
        id !== null && (
          <Button class="quiet" aria-describedby={name} onClick={() => onRestore(id)} text={t("history_back")} />
        )
      }
    />
  );
}

/** Returns the earlier states, read again after each change; null before. */
function useStates(run: ReturnType<typeof useList>["run"]): Read | null {
  const { t } = usePage();
  const [read, setRead] = useState<Read | null>(null);
  const load = async () => {
    const [found, texts] = await Promise.all([readOrLast("GET /local/v1/history", {}), formTextsIn(t.language)]);
    setRead({ ...found, texts });
  };
  useEffect(() => void run(load), [changeCount.value]);
  return read;
}
