/** Form above the plans: its fields, a button that sends them, one that closes it, and why the daemon refused them. */
import type { ComponentChildren } from "preact";
import { Button, Wrong } from "../elements.tsx";
import { LabelledInput, type LabelledInputProps } from "../labelled-input.tsx";
import { usePage } from "../page.ts";

/** What a form about a home gets. It is closed with the text of what was done; null without any. */
export type HomeFormProps = { readonly home: string; readonly onClose: (done: string | null) => void };

interface PlansFormProps {
  readonly fields: readonly LabelledInputProps[];
  readonly submitText: string;
  readonly wrong: string;
  readonly onSubmit: () => void;
  readonly onClose: HomeFormProps["onClose"];
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export function PlansForm({ fields, submitText, wrong, onSubmit, onClose, children }: PlansFormProps) {
  const { t } = usePage();
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form class="settings once" onSubmit={submit} noValidate>
      {fields.map((field) => (
        <LabelledInput key={field.id} {...field} />
      ))}
      <Button type="submit" class="strong" text={submitText} />
      {children}
      <Button onClick={() => onClose(null)} text={t("cancel")} />
      <Wrong text={wrong} />
    </form>
  );
}
