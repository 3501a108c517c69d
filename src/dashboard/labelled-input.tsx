/** Input below its label, outside the forms that are made from a schema. */
import type { InputHTMLAttributes } from "preact";

type LabelledInputProps = InputHTMLAttributes & {
  readonly id: string;
  readonly label: string;
  readonly onText: (text: string) => void;
};

/** What is typed is a name, a number or an address, so the browser completes and corrects nothing. */
const PLAIN = { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: false } as const;

export function LabelledInput({ id, label, onText, ...input }: LabelledInputProps) {
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      <input {...PLAIN} id={id} {...input} onInput={({ currentTarget: { value } }) => onText(value)} />
    </div>
  );
}
