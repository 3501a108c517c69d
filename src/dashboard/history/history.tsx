/** Block with the last changes of plans, plugs, settings and connections, and the way back to an earlier state. */
import { useEffect, useState } from "preact/hooks";
import type { PageState } from "../../api/settings/history.ts";
import { useSystemTexts } from "../context.ts";
import { Answer, Button } from "../elements.tsx";
import { type FormTexts, formTextsIn } from "../forms/form-texts.ts";
import { usePage } from "../page.ts";
import { call, readOrLast } from "../store/requests.ts";
import { Block, ListRow, Sure, useList } from "../system/block.tsx";
import { changeText, fieldChange } from "./change-words.ts";
import { changeCount } from "./changes.ts";

/** Changes that are shown before "Show all". */
const SHOWN = 5;

type Read = { readonly states: readonly PageState[]; readonly revision: string; readonly texts: FormTexts };

export function History() {
  const t = useSystemTexts();
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
        {shown.map((state) => (
          <StateRow
            key={state.id ?? state.until}
            of={state}
            texts={read.texts}
            isChosen={state.id !== null && chosen === state.id}
            onChoose={setChosen}
            onRestore={restore}
          />
        ))}
      </ul>
      {!isWhole && read.states.length > SHOWN && (
        <Button class="quiet" onClick={() => setWhole(true)} text={t("history_all", { count: read.states.length })} />
      )}
      <Answer text={answerOf()} />
    </Block>
  );
}

function StateRow({
  of,
  texts,
  isChosen,
  onChoose,
  onRestore,
}: Readonly<{
  of: PageState;
  texts: FormTexts;
  isChosen: boolean;
  onChoose: (id: string | null) => void;
  onRestore: (id: string) => Promise<void>;
}>) {
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
        id !== null &&
        !isChosen && (
          <Button class="quiet" aria-describedby={name} onClick={() => onChoose(id)} text={t("history_back")} />
        )
      }
    >
      {id !== null && isChosen && (
        <Sure
          text={t("history_sure", { time })}
          yes={t("history_back")}
          onYes={() => void onRestore(id)}
          onNo={() => onChoose(null)}
        />
      )}
    </ListRow>
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
