/** Small elements used by every part of the page. */
import type { AriaAttributes, ButtonHTMLAttributes, ComponentChildren, SelectHTMLAttributes } from "preact";
import { useRef, useState } from "preact/hooks";
import { levels } from "../core/prices/level.ts";
import { usePage } from "./page.ts";
import type { ShownLevel } from "./timeline.ts";
import type { TextName } from "./words/language.ts";

/** Line icon on a grid of 24 units. Screen readers ignore it. */
export function Icon({ path }: { readonly path: string }) {
  return (
    <svg viewBox="0 0 24 24" class="icon" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}

/** A button that does not submit a form, unless its type says so. `text` or its children are what it says. */
export function Button({ text, children, ...attributes }: ButtonHTMLAttributes & { readonly text?: string }) {
  return (
    <button type="button" {...attributes}>
      {text}
      {children}
    </button>
  );
}

const SHOWN = { type: "text" } as const;
const HIDDEN = { type: "password" } as const;

/** Returns the type of a secret's input, and the button that shows what was typed there. */
export function useShown(input: string) {
  const { t } = usePage();
  const [isShown, setShown] = useState(false);
  const button = (
    <Button
      class="quiet"
      aria-pressed={isShown}
      aria-controls={input}
      onClick={() => setShown(!isShown)}
      text={t(isShown ? "hide" : "show")}
    />
  );
  return { typed: isShown ? SHOWN : HIDDEN, button };
}

/** A text with a button that copies it: as a selection, because the clipboard of scripts exists on https only. */
export function Copied({ text }: { readonly text: string }) {
  const { t } = usePage();
  const code = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    if (code.current) getSelection()?.selectAllChildren(code.current);
    setCopied(document.execCommand("copy"));
  };
  return (
    <span class="copied">
      <code ref={code}>{text}</code> <Button class="quiet" onClick={copy} text={t(isCopied ? "copied" : "copy")} />
    </span>
  );
}

interface HelpProps {
  /** An address from `help.ts`. */
  readonly href: string;
  /** What it is about, if several are next to each other. */
  readonly about?: string;
}

/** A link into the help, in a page of its own. */
export function Help({ href, about }: HelpProps) {
  const { t } = usePage();
  return (
    <a class="help" href={href} target="_blank" rel="noreferrer">
      {t("help")}
      {about && <span class="unseen">{` ${about}`}</span>}
    </a>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly name: string;
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

/** Group of radio buttons. Arrow keys change the choice. */
export function Choice<Value extends string>({ label, name, options, chosen, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map(({ value, text }) => (
        <label key={value}>
          <input type="radio" name={name} value={value} checked={value === chosen} onChange={() => onChoose(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

export interface Option {
  readonly value: string;
  readonly text: string;
  /** Language of a text that is not in that of the page. */
  readonly lang?: string;
}

type SelectProps = SelectHTMLAttributes & {
  readonly options: readonly Option[];
  readonly onChoose: (value: string) => void;
};

/** List of options of which one is chosen. */
export function Select({ options, onChoose, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {options.map(({ value, text, lang }) => (
        <option key={value} value={value} lang={lang}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface CheckProps extends Pick<AriaAttributes, "aria-describedby" | "aria-invalid" | "aria-required"> {
  readonly id?: string;
  readonly text: string;
  readonly checked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
}

/** A checkbox with its label. */
export function Check({ text, onCheck, ...attributes }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" {...attributes} onChange={({ currentTarget: { checked } }) => onCheck(checked)} />
      <span>{text}</span>
    </label>
  );
}

const LEVEL_SIGNS: Readonly<Record<ShownLevel, string>> = {
  very_cheap: "▼▼",
  cheap: "▼",
  normal: "●",
  expensive: "▲",
  very_expensive: "▲▲",
  unknown: "?",
};

/** A level as a sign and a word, which do not depend on the colour. */
export function LevelMark({ level }: { readonly level: ShownLevel }) {
  const { t } = usePage();
  return (
    <span class={`level ${level}`}>
      <span class="sign" aria-hidden="true">
        {LEVEL_SIGNS[level]}
      </span>
      {t(`level_${level}`)}
    </span>
  );
}

/** What the colours of prices mean, and other marks. */
export function Legend({ children }: { readonly children?: ComponentChildren }) {
  const { t } = usePage();
  return (
    <p class="legend">
      {levels.map((level) => (
        <LevelMark key={level} level={level} />
      ))}
      <span class="level hatch">{t("estimate")}</span>
      {children}
    </p>
  );
}

interface PartProps {
  readonly id: string;
  /** Whether the part is one card; false if its children are cards. */
  readonly card?: boolean;
  readonly busy?: boolean;
  readonly children: ComponentChildren;
}

/** A part of the page: a section labelled by its heading `<id>-title`. */
export function Part({ id, card = true, busy = false, children }: PartProps) {
  return (
    <section id={id} class="part" aria-labelledby={`${id}-title`} aria-busy={busy ? "true" : undefined}>
      {card ? <div class="card">{children}</div> : children}
    </section>
  );
}

/** A view that has nothing to show yet: one sentence with the next step. */
export function EmptyView({ id, text }: { readonly id: "prices" | "use" | "results"; readonly text: string }) {
  const { t } = usePage();
  return (
    <Part id={id}>
      <div class="head">
        <h2 id={`${id}-title`}>{t(id)}</h2>
      </div>
      <p class="soft">{text}</p>
    </Part>
  );
}

/** Why an entry or a request was refused. Screen readers interrupt for it. */
export function Wrong({ id, text }: { readonly id?: string; readonly text: ComponentChildren }) {
  return (
    <p id={id} class="wrong" role="alert">
      {text}
    </p>
  );
}

/** What the daemon answered to the last action. Screen readers say it. */
export function Answer({ text }: { readonly text: string }) {
  return (
    <p class="answer" role="status">
      {text}
    </p>
  );
}

/** The head of a table. */
export function ColumnHeads({ keys }: { readonly keys: readonly TextName[] }) {
  const { t } = usePage();
  return (
    <thead>
      <tr>
        {keys.map((key) => (
          <th key={key} scope="col">
            {t(key)}
          </th>
        ))}
      </tr>
    </thead>
  );
}
