/**
 * Form for a part of the configuration, such as a plan or a plug, generated from its JSON Schema. Import it
 * dynamically, so that browsers load it only when needed.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../elements.tsx";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import type { Mistake } from "../store/error-texts.ts";
import { refusalIn } from "../store/requests.ts";
import { numberTexts } from "../words/number-text.ts";
import { type FieldMistake, mistakesIn } from "./checks.ts";
import { draftOf, dropDraft, keepDraft } from "./drafts.ts";
import { FieldView } from "./field-view.tsx";
import { type Field, fieldOf, isEmpty, type Json, type JsonObject, type JsonSchema, usefulFields } from "./fields.ts";
import { FormContext, type FormOptions, type ShownMistake } from "./form-context.ts";
import { type FormTexts, inWords, labelOf } from "./form-texts.ts";

const MAX_BRIEF = 6;

interface SchemaFormProps {
  /** Schema of an object. */
  readonly schema: JsonSchema;
  /** Path in the configuration, for instance `plans[]`, which is the prefix of the translations' keys. */
  readonly path: string;
  readonly texts: FormTexts;
  readonly value: JsonObject;
  /** Mistakes found by the daemon. */
  readonly mistakes: readonly Mistake[];
  /** Names of the first fields, in order. Other fields are in a fold unless they are required or set. */
  readonly first?: readonly string[];
  /** Whether at most the first MAX_BRIEF are shown, and fields that are set, but not first, are in the fold too. */
  readonly isBrief?: boolean;
  /** Known values of fields by path, for instance the ids of homes for `plans[].home`. */
  readonly suggestions?: FormOptions["suggestions"];
  /** Examples of fields by path, for instance `switch.washer` for `plugs[].entity`. */
  readonly examples?: FormOptions["examples"];
  /** Names of secrets that are set and not shown; an empty field keeps them, and null removes them. */
  readonly secretsSet?: readonly string[];
  /** Name under which the entries are kept until they are saved; absent if they are not. */
  readonly draft?: string;
  /** Text of the button that submits, by default "Save". */
  readonly submitText?: string;
  /** False if there is nothing to save. */
  readonly canSubmit?: boolean;
  /** Called with a value that is valid by the schema. */
  readonly onSubmit: (value: JsonObject) => void;
  /** Absent for a form that is closed otherwise. */
  readonly onCancel?: () => void;
  /** Called after each change with the value that would be submitted, for instance for a preview. */
  readonly onChange?: (value: JsonObject) => void;
  /** Content above the buttons. */
  readonly preview?: ComponentChildren;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export function SchemaForm(props: SchemaFormProps) {
  const { schema, path, texts, draft, first = [], isBrief = false } = props;
  const { secretsSet = [], suggestions = {}, examples = {} } = props;
  const { t } = usePage();
  /** What was entered. Other values follow those of the caller. */
  const [typed, setTyped] = useState<JsonObject>({});
  const value = { ...props.value, ...typed };
  const group = useMemo(() => fieldOf(schema, path), [schema, path]);
  const all = group.kind === "group" ? group.fields : [];
  const fields = usefulFields(schema, all, value);
  const found = fields
    .filter(({ name }) => !(secretsSet.includes(name) && isEmpty(value[name])))
    .flatMap((field) => mistakesIn(field, value[field.name], field.name));
  const reported = useMemo(() => inLabels(props.mistakes, all, texts, path), [props.mistakes]);
  const { mistakeAt, whole, isChecked, check, onEdited, correct } = useMistakes(found, reported);
  const place = useRef<HTMLFormElement>(null);
  useEffect(() => place.current?.querySelector<HTMLElement>("input, select, textarea")?.focus(), []);
  const change = (name: string, next: Json | undefined) => {
    const changed = { ...typed, [name]: next === "" ? undefined : next };
    const entry = useful(schema, all, { ...props.value, ...changed });
    setTyped(changed);
    correct(name);
    if (draft !== undefined) keepDraft(draft, entry, schema);
    props.onChange?.(entry);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    check();
    if (found.length === 0) props.onSubmit(useful(schema, all, value));
  };
  const view = (field: Field) => (
    <FieldView
      key={field.name}
      field={field}
      place={field.name}
      value={value[field.name]}
      onChange={(next) => change(field.name, next)}
    />
  );
  const [shown, folded] = sorted(fields, [...first, ...(first.length > 0 ? secretsSet : [])], props.value, isBrief);
  // An input in the fold that was just left is in view. The fold opens when the form is submitted.
  const isFoldedWrong = isChecked && folded.some(({ name }) => mistakeAt(name) !== undefined);
  return (
    <FormContext.Provider value={{ id: path, texts, suggestions, examples, secretsSet, mistakeAt, onEdited }}>
      <form ref={place} class="schema-form" noValidate onSubmit={submit}>
        {shown.map(view)}
        {folded.length > 0 && (
          <details open={isFoldedWrong || undefined}>
            <summary>{t("form_more")}</summary>
            <div class="fields">{folded.map(view)}</div>
          </details>
        )}
        <FormFoot {...props} whole={whole} />
      </form>
    </FormContext.Provider>
  );
}

interface FormFootProps
  extends Pick<SchemaFormProps, "draft" | "submitText" | "canSubmit" | "preview" | "children" | "onCancel"> {
  /** The mistake of the whole form. */
  readonly whole: ShownMistake | undefined;
}

function FormFoot({ draft, submitText, canSubmit = true, preview, whole, children, onCancel }: FormFootProps) {
  const { t } = usePage();
  return (
    <div class="form-foot">
      {preview}
      <p class="wrong" role="alert" lang={whole?.lang}>
        {whole?.text}
      </p>
      <div class="actions">
        <Button type="submit" class="strong" disabled={!canSubmit} text={submitText ?? t("save")} />
        {onCancel && draft !== undefined && <CancelButton draft={draft} onClose={onCancel} />}
        {children}
      </div>
    </div>
  );
}

/** Mistakes of a form: when which of those that it found itself, and that the daemon reported, are shown. */
function useMistakes(found: readonly FieldMistake[], reported: readonly Mistake[]) {
  const { t } = usePage();
  const [isChecked, setChecked] = useState(false);
  /** Places of inputs that were changed and left. Their mistakes are shown before the form is submitted. */
  const [edited, setEdited] = useState<readonly string[]>([]);
  /** Names of the fields that changed since the daemon found its mistakes. */
  const [corrected, setCorrected] = useState<readonly string[]>([]);
  useEffect(() => setCorrected([]), [reported]);
  const own = isChecked ? found : found.filter(({ path }) => edited.includes(path));
  const others = reported.filter(({ path }) => !corrected.some((name) => isWithin(path, name)));
  const elsewhere = corrected.length === 0 ? others.find(({ path }) => path === "") : undefined;
  return {
    isChecked,
    mistakeAt: (place: string) => ownMistake(own, place, t) ?? serverMistake(others, place),
    whole:
      isChecked && own.length > 0 ? { text: t("form_mistakes", { count: own.length }) } : elsewhere && shown(elsewhere),
    /** Shows all mistakes from now on. */
    check: () => setChecked(true),
    onEdited: (place: string) => setEdited((before) => [...new Set([...before, place])]),
    /** Hides what the daemon reported about a field. */
    correct: (name: string) => setCorrected((before) => [...new Set([...before, name])]),
  };
}

/** Requests of a form: the mistakes that the daemon found, where `textOf` is about the whole form. */
export function useSaving(draft?: string, textOf: typeof refusalText = refusalText) {
  const { t } = usePage();
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([]);
  const [isBusy, setBusy] = useState(false);
  /** Returns the answer; null if it was refused. */
  const ask = async <Answer,>(request: Promise<Answer>): Promise<Answer | null> => {
    setBusy(true);
    try {
      const answer = await request;
      setMistakes([]);
      return answer;
    } catch (thrown) {
      const refusal = refusalIn(thrown);
      const { mistakes: found, isTranslated, reason } = refusal;
      const text = textOf(refusal, t);
      // Only the daemon's reason may be English.
      const whole = { path: "", text, isTranslated: isTranslated || !text.includes(reason) };
      setMistakes(found.length > 0 ? found : [whole]);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const save = async <Saved,>(request: Promise<Saved>, onSaved: (saved: Saved) => void) => {
    const saved = await ask(request);
    if (saved === null) return;
    if (draft !== undefined) dropDraft(draft);
    onSaved(saved);
  };
  const refuse = (text: string) => setMistakes([{ path: "", text, isTranslated: true }]);
  return { mistakes, isBusy, ask, save, refuse };
}

function ownMistake(own: readonly FieldMistake[], place: string, t: ReturnType<typeof usePage>["t"]) {
  const found = own.find(({ path }) => path === place);
  return found && { text: t(found.key, numberTexts(found.facts, t.language)) };
}

/** Returns the mistake that the daemon reported at a path. Its text is English unless it is marked as translated. */
function serverMistake(mistakes: readonly Mistake[], place: string): ShownMistake | undefined {
  const found = mistakes.find(({ path }) => path === place);
  return found && shown(found);
}

function shown({ text, isTranslated }: Mistake): ShownMistake {
  return { text, lang: isTranslated ? undefined : "en" };
}

/** Returns whether a path is that of a field or below it. */
function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** Returns what the daemon reported, with labels in place of keys. A mistake of no field is one of the whole form. */
function inLabels(mistakes: readonly Mistake[], fields: readonly Field[], texts: FormTexts, form: string): Mistake[] {
  return mistakes.map(({ path, text, isTranslated = false }) => {
    const said = inWords(texts, text, form);
    if (path === "" || fields.some(({ name }) => isWithin(path, name))) return { path, text: said, isTranslated };
    return { path: "", text: `${labelOf(texts, path.replaceAll(/\[\d+\]/g, "[]"))}: ${said}`, isTranslated };
  });
}

/** Returns the values of the useful fields, in the order of the schema. */
function useful(schema: JsonSchema, all: readonly Field[], value: JsonObject): JsonObject {
  const names = usefulFields(schema, all, value).map(({ name }) => name);
  return Object.fromEntries(names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));
}

/** Returns the fields to show, and those in the fold. */
function sorted(
  fields: readonly Field[],
  first: readonly string[],
  value: JsonObject,
  isBrief: boolean,
): [Field[], Field[]] {
  const found = first.filter((name) => fields.some((field) => field.name === name));
  const asked = isBrief ? found.slice(0, MAX_BRIEF) : found;
  const rank = ({ name }: Field) => (asked.includes(name) ? asked.indexOf(name) : asked.length);
  const isShown = (field: Field) =>
    first.length === 0 ||
    asked.includes(field.name) ||
    (isBrief ? field.isRequired && isEmpty(value[field.name]) : field.isRequired || !isEmpty(value[field.name]));
  return [fields.filter(isShown).sort((a, b) => rank(a) - rank(b)), fields.filter((field) => !isShown(field))];
}

interface CancelButtonProps {
  /** Name of the form's draft. */
  readonly draft: string;
  readonly onClose: () => void;
}

function CancelButton({ draft, onClose }: CancelButtonProps) {
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
