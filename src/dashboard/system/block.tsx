/** Blocks of the system view and of the results, and the lists of rows in them: what is set, buttons, the last answer. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useArrival } from "../arrival.ts";
import { Answer, Button } from "../elements.tsx";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { refusalIn } from "../store/requests.ts";

interface BlockProps {
  /** Name of the block in addresses. */
  readonly id?: string;
  readonly title: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Block({ id, title, class: kind = "", children }: BlockProps) {
  return (
    <section class={`block ${kind}`} id={id} ref={useArrival(id ?? "")}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface ListRowProps {
  /** Id of the row's name, which describes its buttons, and the row's name in addresses. */
  readonly id: string;
  readonly name: string;
  /** What is below the name. */
  readonly facts: ComponentChildren;
  readonly buttons: ComponentChildren;
  /** Answer to the last action of the row. */
  readonly answer?: string;
  /** A question about the row. */
  readonly children?: ComponentChildren;
}

export function ListRow({ id, name, facts, buttons, answer, children }: ListRowProps) {
  return (
    <li ref={useArrival(id)}>
      <div class="key-line">
        <p>
          <strong id={id}>{name}</strong>
          {facts}
        </p>
        {buttons && <div class="actions">{buttons}</div>}
      </div>
      {children}
      {answer !== undefined && <Answer text={answer} />}
    </li>
  );
}

/** State of a list: the answer to its last action, and the dialog that is open. */
export function useList<Id extends string>() {
  const { t } = usePage();
  const [answer, setAnswer] = useState<{ readonly id?: Id | undefined; readonly text: string }>({ text: "" });
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  return {
    dialog,
    setDialog,
    /** Returns the answer to a row's last action; without an id, the one about the whole list. */
    answerOf: (id?: Id) => (answer.id === id ? answer.text : ""),
    say: (text: string, id?: Id) => setAnswer({ id, text }),
    /** Does something for a row, or for the whole list. Shows a refusal there. */
    run: async (work: () => Promise<unknown>, id?: Id) => {
      try {
        await work();
      } catch (thrown) {
        setAnswer({ id, text: refusalText(refusalIn(thrown), t) });
      }
    },
  };
}

/** Confirmation of an action that cannot be undone. The button "no" gets the focus. */
export function Sure({
  text,
  yes,
  onYes,
  onNo,
}: Readonly<{ text: string; yes: string; onYes: () => void; onNo: () => void }>) {
  const { t } = usePage();
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), []);
  return (
    <fieldset class="sure">
      <legend class="unseen">{yes}</legend>
      <p>{text}</p>
      <div class="actions">
        <Button class="strong" onClick={onYes} text={yes} />
        <button type="button" ref={no} onClick={onNo}>
          {t("cancel")}
        </button>
      </div>
    </fieldset>
  );
}
