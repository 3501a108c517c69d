/** Button that closes a form, and asks first if entries would be discarded. Escape keeps them for the session. */

import { useState } from "preact/hooks";
import { Button } from "../elements.tsx";
import { usePage } from "../page.ts";
import { draftOf, dropDraft } from "./drafts.ts";

interface CancelButtonProps {
  /** Name of the form's draft. */
  readonly draft: string;
  readonly onClose: () => void;
}

export function CancelButton({ draft, onClose }: CancelButtonProps) {
  const { t } = usePage();
  const [isAsked, setAsked] = useState(false);
  const discard = () => {
    dropDraft(draft);
    onClose();
  };
  if (!isAsked)
    return <Button onClick={() => (draftOf(draft) === null ? onClose() : setAsked(true))} text={t("cancel")} />;
  return (
    <>
      <span role="alert">{t("draft_sure")}</span>
      <Button class="danger" onClick={discard} text={t("draft_drop")} />
    </>
  );
}
