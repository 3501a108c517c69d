/** A field of a form: label, description, input and mistake. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button, Check, Help, Select, useShown } from "../elements.tsx";
import { usePage } from "../page.ts";
import { fieldHelpUrl, isExplained } from "../words/help.ts";
import { numberText } from "../words/number-text.ts";
import { TIME_INPUT } from "../words/time-text.ts";
import { fits, placeOf, readText } from "./checks.ts";
import type { Field, Json, JsonObject } from "./fields.ts";
import { useForm } from "./form-context.ts";
import { type FieldText, labelOf, optionText, textOf } from "./form-texts.ts";

interface FieldProps<Kind extends Field["kind"] = Field["kind"]> {
  readonly field: Extract<Field, { kind: Kind }>;
  /** Path of the value in the form. */
  readonly place: string;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

export function FieldView({ field, place, value, onChange }: FieldProps) {
  const props = { place, value, onChange };
  switch (field.kind) {
    case "group":
      return <GroupField field={field} {...props} />;
    case "list":
      return <ListField field={field} {...props} />;
    case "choices":
      return <ChoicesField field={field} {...props} />;
    case "one-of":
      return <OneOfField field={field} {...props} />;
    case "yes-no":
      return <YesNoField field={field} {...props} />;
    default:
      return <InputField field={field} {...props} />;
  }
}

/** Returns label, description and default of a field, in the language of the page if there is a translation. */
function useFieldText({ path, about, fallback, isRequired, kind }: Field, place: string) {
  const { t } = usePage();
  const { id, texts, mistakeAt } = useForm();
  const own = textOf(texts, path);
  const isShownAlready = fallback === undefined || Array.isArray(fallback);
  const defaultText = isShownAlready ? "" : t("form_default", { value: shownValue(fallback, own, t) });
  return {
    // Includes the kind, because a choice of forms and the chosen form have the same place.
    id: `form-${id}-${place}-${kind}`.replaceAll(/[^\w-]/g, "-"),
    label: labelOf(texts, path),
    about: [own?.about ?? about, defaultText].filter(Boolean).join(" "),
    help: isExplained(path) || mistakeAt(place) ? fieldHelpUrl(path) : null,
    optionText: (option: string) => optionText(own, option),
    mistake: mistakeAt(place),
    isRequired,
  };
}

function shownValue(value: Json, texts: FieldText | undefined, t: ReturnType<typeof usePage>["t"]): string {
  if (typeof value === "boolean") return t(value ? "form_yes" : "form_no");
  if (typeof value === "number") return value.toLocaleString(t.language);
  return typeof value === "object" ? JSON.stringify(value) : (texts?.options?.[String(value)] ?? String(value));
}

type ShownText = ReturnType<typeof useFieldText>;

/** Returns the ARIA attributes of an input. */
function described({ id, mistake, isRequired }: ShownText) {
  return {
    "aria-describedby": `${id}-about ${id}-mistake`,
    "aria-invalid": mistake === undefined ? undefined : true,
    "aria-required": isRequired || undefined,
  } as const;
}

/** Label, description and mistake of an input. */
function Labelled({ text, children }: { readonly text: ShownText; readonly children: ComponentChildren }) {
  const { id, label, isRequired } = text;
  return (
    <div class="field-row">
      <label for={id} class={isRequired ? "required" : undefined}>
        {label}
      </label>
      {children}
      <Explained text={text} />
    </div>
  );
}

function Explained({ text: { id, label, about, help, mistake } }: { readonly text: ShownText }) {
  return (
    <>
      <p class="faint">
        <span id={`${id}-about`}>{about}</span> {help && <Help href={help} about={label} />}
      </p>
      <p id={`${id}-mistake`} class="wrong" lang={mistake?.lang}>
        {mistake?.text}
      </p>
    </>
  );
}

/** Group of inputs with a legend. */
function FieldSet({ text, children }: { readonly text: ShownText; readonly children: ComponentChildren }) {
  return (
    <fieldset class="field-row field-set" {...described({ ...text, isRequired: false })}>
      <legend class={text.isRequired ? "required" : undefined}>{text.label}</legend>
      <Explained text={text} />
      {children}
    </fieldset>
  );
}

const NOTHING = { value: "", text: "–" };

/** Text of an input while it is edited, and the value that it was read as. Another value replaces the text. */
type Draft = { readonly text: string; readonly value: Json | undefined };

function InputField({ field, place, value, onChange }: FieldProps<"text" | "time" | "number" | "choice" | "scalar">) {
  const { t } = usePage();
  const { suggestions, examples, secretsSet, onEdited } = useForm();
  const [draft, setDraft] = useState<Draft | null>(null);
  const isSet = secretsSet.includes(place);
  const own = useFieldText(isSet ? { ...field, isRequired: false } : field, place);
  const text = isSet ? { ...own, about: `${t("form_secret_set")} ${own.about}` } : own;
  const attributes = { id: text.id, ...described(text) };
  const { typed, button } = useShown(text.id);
  const isSecret = field.kind === "text" && field.isSecret && !field.isLong;
  const Input = field.kind === "text" && field.isLong ? "textarea" : "input";
  const optionOf = (option: string) => ({ value: option, text: text.optionText(option) });
  const options = field.kind === "choice" ? field.options.map(optionOf) : suggestions[field.path];
  if (options) {
    const choose = (chosen: string) => onChange(chosen || undefined);
    return (
      <Labelled text={text}>
        <Select {...attributes} value={String(value ?? "")} options={[NOTHING, ...options]} onChoose={choose} />
      </Labelled>
    );
  }
  return (
    <Labelled text={text}>
      <div class={isSecret ? "field" : undefined}>
        <Input
          {...attributes}
          placeholder={isSet && value !== null ? "••••••••" : examples[field.path]}
          {...inputOf(field)}
          {...(isSecret && typed)}
          value={draft !== null && draft.value === value ? draft.text : shownText(value, t.language)}
          onInput={({ currentTarget }) => {
            const next = readText(field, currentTarget.value);
            setDraft({ text: currentTarget.value, value: next });
            onChange(next);
          }}
          onBlur={() => {
            if (draft === null) return;
            setDraft(null);
            onEdited(place);
          }}
        />
        {isSecret && shownText(value, t.language) !== "" && button}
      </div>
      {isSet && !field.isRequired && (
        <Check
          text={t("form_secret_remove")}
          checked={value === null}
          onCheck={(isChecked) => onChange(isChecked ? null : undefined)}
        />
      )}
    </Labelled>
  );
}

/** Returns the attributes of an input. A number has a text input, so that an incomplete one stays as typed. */
function inputOf(field: Field) {
  if (field.kind === "time") return TIME_INPUT;
  if (field.kind === "text" && field.isDate) return { type: "date" } as const;
  if (field.kind === "number") return { type: "text", inputMode: "decimal" } as const;
  if (field.kind === "text" && field.isLong) return { rows: 3, spellcheck: false } as const;
  return { type: "text", autocomplete: "off", spellcheck: false, autocapitalize: "off" } as const;
}

function shownText(value: Json | undefined, language: string): string {
  return typeof value === "number" ? numberText(value, language) : String(value ?? "");
}

function YesNoField({ field, place, value, onChange }: FieldProps<"yes-no">) {
  const text = useFieldText(field, place);
  return (
    <div class="field-row">
      <Check
        id={text.id}
        text={text.label}
        {...described(text)}
        checked={(value ?? field.fallback) === true}
        onCheck={onChange}
      />
      <Explained text={text} />
    </div>
  );
}

function ChoicesField({ field, place, value, onChange }: FieldProps<"choices">) {
  const text = useFieldText(field, place);
  const given = value ?? field.fallback;
  const chosen = Array.isArray(given) ? (given as readonly Json[]) : [];
  const toggle = (option: string, isChosen: boolean) => {
    const next = field.options.filter((each) => (each === option ? isChosen : chosen.includes(each)));
    // Without a default, an empty choice removes the value.
    onChange(next.length === 0 && field.fallback === undefined ? undefined : next);
  };
  return (
    <FieldSet text={text}>
      <div class="checks">
        {field.options.map((option) => (
          <Check
            key={option}
            text={text.optionText(option)}
            checked={chosen.includes(option)}
            onCheck={(isChecked) => toggle(option, isChecked)}
          />
        ))}
      </div>
    </FieldSet>
  );
}

function ListField({ field, place, value, onChange }: FieldProps<"list">) {
  const { t } = usePage();
  const text = useFieldText(field, place);
  const items = Array.isArray(value) ? (value as readonly Json[]) : [];
  const put = (index: number, next: Json | undefined) =>
    onChange(items.map((item, i) => (i === index ? (next ?? "") : item)));
  return (
    <FieldSet text={text}>
      {items.map((item, i) => (
        <div key={i} class="list-item">
          <FieldView field={field.item} place={`${place}[${i}]`} value={item} onChange={(next) => put(i, next)} />
          <Button class="quiet" onClick={() => onChange(withoutItem(items, i))} text={t("form_remove")} />
        </div>
      ))}
      <Button onClick={() => onChange([...items, emptyItem(field.item)])} text={t("form_add")} />
    </FieldSet>
  );
}

/** A list without one of its items; undefined if none is left. */
function withoutItem(items: readonly Json[], removed: number): readonly Json[] | undefined {
  return items.length === 1 ? undefined : items.filter((_, i) => i !== removed);
}

function emptyItem(item: Field): Json {
  return item.kind === "group" ? {} : "";
}

function GroupField({ field, place, value, onChange }: FieldProps<"group">) {
  const text = useFieldText(field, place);
  const group = (typeof value === "object" && value !== null ? value : {}) as JsonObject;
  return (
    <FieldSet text={text}>
      <div class="fields">
        {field.fields.map((each) => (
          <FieldView
            key={each.name}
            field={each}
            place={placeOf(place, each.name)}
            value={group[each.name]}
            onChange={(next) => onChange(withoutEmpty({ ...group, [each.name]: next }))}
          />
        ))}
      </div>
    </FieldSet>
  );
}

/** Returns a group without its empty values; undefined if all are empty. */
function withoutEmpty(group: JsonObject): JsonObject | undefined {
  const entries = Object.entries(group).filter(([, value]) => value !== undefined && value !== "");
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function OneOfField({ field, place, value, onChange }: FieldProps<"one-of">) {
  const { t } = usePage();
  const text = useFieldText(field, place);
  const fitting = field.forms.findIndex((form) => fits(form, value));
  const isList = Array.isArray(value);
  const index = Math.max(0, fitting < 0 && isList ? field.forms.findIndex(({ kind }) => kind === "list") : fitting);
  const form = field.forms[index];
  return (
    <FieldSet text={{ ...text, mistake: undefined }}>
      <Select
        aria-label={`${text.label}: ${t("form_kind")}`}
        value={String(index)}
        options={field.forms.map(({ kind }, i) => ({
          value: String(i),
          text: t(kind === "list" ? "form_several" : "form_one"),
        }))}
        onChoose={(chosen) => {
          const next = field.forms[Number(chosen)];
          onChange(next?.kind === "list" ? [emptyItem(next.item)] : undefined);
        }}
      />
      {form && <FieldView field={{ ...form, about: "" }} place={place} value={value} onChange={onChange} />}
    </FieldSet>
  );
}
