/** Input of a form below its label. */
import type { InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

export type LabelledInputProps = InputHTMLAttributes & {
  readonly id?: string;
  readonly label: string;
  /** Line below the input. */
  readonly help?: string;
  readonly onText: (text: string) => void;
};

/** What is typed is a name, a number or an address, so the browser completes and corrects nothing. */
const PLAIN = { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: false } as const;

/** The children are shown below the input. `class` is that of the row. */
export function LabelledInput({ label, help, onText, children, class: row = "setting", ...input }: LabelledInputProps) {
  const own = useId();
  const { id = own } = input;
  return (
    <div class={row}>
      <label for={id}>{label}</label>
      <input
        {...PLAIN}
        id={id}
        aria-describedby={help && `${own}-help`}
        {...input}
        onInput={({ currentTarget: { value } }) => onText(value)}
      />
      {help && (
        <p id={`${own}-help`} class="faint">
          {help}
        </p>
      )}
      {children}
    </div>
  );
}
