/** Input of a form below its label. */
import type { InputHTMLAttributes } from "preact";

export type LabelledInputProps = InputHTMLAttributes & {
  readonly id: string;
  readonly label: string;
  readonly onText: (text: string) => void;
};

/** The children are shown below the input. */
export function LabelledInput({ id, label, onText, children, ...input }: LabelledInputProps) {
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      <input id={id} {...input} onInput={({ currentTarget: { value } }) => onText(value)} />
      {children}
    </div>
  );
}
