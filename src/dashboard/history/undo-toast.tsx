/** Message after each change, with its verb and thing, which offers to undo it for ten seconds. */

import { useEffect, useState } from "preact/hooks";
import { Button } from "../elements.tsx";
import { formTextsIn } from "../forms/form-texts.ts";
import { type PageTools, usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { call, refusalIn } from "../store/requests.ts";
import { changeText, SECRET } from "./change-words.ts";
import { type Change, lastChange } from "./changes.ts";

const SHOWN_MS = 10_000;

export function UndoToast() {
  const page = usePage();
  const { t } = page;
  const change = lastChange.value;
  const [text, setText] = useState("");
  useEffect(() => {
    if (change) void textOf(change, page).then((found) => change === lastChange.value && setText(found));
  }, [change]);
  useEffect(() => {
    if (text === "") return;
    const timer = setTimeout(() => {
      lastChange.value = null;
      setText("");
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const undo = async (made: Change) => {
    try {
      if ("text" in made) await made.undo?.();
      else await call("POST /local/v1/history/:state", { state: made.undo }, { revision: made.revision });
      setText(t("undone"));
    } catch (thrown) {
      const refusal = refusalIn(thrown);
      setText(refusal.status === 412 ? t("undo_late") : refusalText(refusal, t));
    }
    // The undone change itself is in the history, and is not offered again.
    lastChange.value = null;
  };
  return (
    <div class="toast" role="status">
      {text !== "" && (
        <p>
          {text}
          {change?.undo && <Button onClick={() => void undo(change)} text={t("undo")} />}
        </p>
      )}
    </div>
  );
}

/** Returns what was changed, and what of it cannot be undone. */
async function textOf(change: Change, page: PageTools): Promise<string> {
  const { t } = page;
  if ("text" in change) return change.undo ? change.text : `${change.text}. ${t("undo_none")}`;
  try {
    const [{ states }, texts] = await Promise.all([call("GET /local/v1/history", {}), formTextsIn(t.language)]);
    const state = states.find(({ id }) => id === change.undo);
    const isLost = state?.differences?.some(({ before }) => before === SECRET);
    return [(state && changeText(state, page, texts)) ?? t("saved"), isLost ? t("undo_secret") : []].flat().join(". ");
  } catch {
    return t("saved"); // without contact, or with a state that is gone
  }
}
