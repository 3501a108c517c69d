/** Message after each saved change, which offers to undo it for ten seconds. */

import { useEffect, useState } from "preact/hooks";
import { Button } from "../elements.tsx";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { call, refusalIn } from "../store/requests.ts";
import { type Change, lastChange } from "./changes.ts";

const SHOWN_MS = 10_000;

export function UndoToast() {
  const { t } = usePage();
  const change = lastChange.value;
  const [answer, setAnswer] = useState("");
  useEffect(() => {
    if (!change && answer === "") return;
    const timer = setTimeout(() => {
      lastChange.value = null;
      setAnswer("");
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [change, answer]);
  const undo = async ({ undo: state, revision }: Change) => {
    try {
      await call("POST /local/v1/history/:state", { state }, { revision });
      setAnswer(t("undone"));
    } catch (thrown) {
      const refusal = refusalIn(thrown);
      setAnswer(refusal.status === 412 ? t("undo_late") : refusalText(refusal, t));
    }
    // The undone change itself is in the history, and is not offered again.
    lastChange.value = null;
  };
  return (
    <div class="toast" role="status">
      {change ? (
        <p>
          {t("change_saved")}
          <Button onClick={() => void undo(change)} text={t("undo")} />
        </p>
      ) : (
        answer && <p>{answer}</p>
      )}
    </div>
  );
}
