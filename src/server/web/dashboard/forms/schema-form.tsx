/**
 * A form for a part of the configuration, generated from its JSON Schema: a plan, a plug, a section of settings. A file
 * of its own for the browser: import it dynamically.
 */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { usePage } from "../page.ts";
import { type FieldMistake, mistakesIn } from "./checks.ts";
import { FieldView } from "./field-view.tsx";
import { type Field, fieldOf, isEmpty, type Json, type JsonObject, type JsonSchema } from "./fields.ts";
import { FormContext, type FormOptions } from "./form-context.ts";
import type { FormTexts } from "./form-texts.ts";

/** A mistake that the daemon found. */
export interface ServerMistake {
  /** As in `fallback[0]`; empty for the whole. */
  readonly path: string;
  readonly text: string;
}

interface SchemaFormProps {
  /** Schema of an object. */
  readonly schema: JsonSchema;
  /** Its place in the configuration, as in `plans[]`: the translations of its fields are found by it. */
  readonly path: string;
  readonly texts: FormTexts;
  readonly value: JsonObject;
  readonly mistakes?: readonly ServerMistake[];
  /** Names of fields that stand first, in this order. Fields that are neither here, required nor set are folded away. */
  readonly first?: readonly string[];
  /** Whether a field is of use with the other values; those that are not are left out. */
  readonly isUseful?: (name: string, value: JsonObject) => boolean;
  /** Known values of fields by path, as the ids of homes for `plans[].home`. */
  readonly suggestions?: FormOptions["suggestions"];
  readonly submitText: string;
  /** Is called with a value that the schema allows. */
  readonly onSubmit: (value: JsonObject) => void;
  /** Is called with each change; a preview may follow it. */
  readonly onChange?: (value: JsonObject) => void;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export function SchemaForm(props: SchemaFormProps) {
  const { schema, path, texts, mistakes = [], first = [], isUseful = () => true, suggestions = {} } = props;
  const { t } = usePage();
  const [value, setValue] = useState(props.value);
  const [isChecked, setChecked] = useState(false);
  const group = useMemo(() => fieldOf(schema, path), [schema, path]);
  const fields = (group.kind === "group" ? group.fields : []).filter(({ name }) => isUseful(name, value));
  const own = isChecked ? fields.flatMap((field) => mistakesIn(field, value[field.name], field.name)) : [];
  const change = (name: string, next: Json | undefined) => {
    const changed = withValue(value, name, next);
    setValue(changed);
    props.onChange?.(changed);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    const names = new Set(fields.map(({ name }) => name));
    const useful = Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
    if (fields.every((field) => mistakesIn(field, value[field.name], field.name).length === 0)) props.onSubmit(useful);
  };
  const mistakeAt = (place: string) => ownText(own, place, t) ?? mistakes.find((each) => each.path === place)?.text;
  const view = (field: Field) => (
    <FieldView
      key={field.name}
      field={field}
      place={field.name}
      value={value[field.name]}
      onChange={(next) => change(field.name, next)}
    />
  );
  const [shown, folded] = sorted(fields, first, props.value);
  const isFoldedWrong = folded.some(({ name }) => mistakeAt(name) !== undefined);
  return (
    <FormContext.Provider value={{ id: path, texts, suggestions, mistakeAt }}>
      <form class="schema-form" noValidate onSubmit={submit}>
        {shown.map(view)}
        {folded.length > 0 && (
          <details open={isFoldedWrong || undefined}>
            <summary>{t("form_more")}</summary>
            <div class="fields">{folded.map(view)}</div>
          </details>
        )}
        <p class="wrong" role="alert">
          {own.length > 0 ? t("form_mistakes", { count: own.length }) : mistakeAt("")}
        </p>
        <div class="actions">
          <button type="submit" class="strong">
            {props.submitText}
          </button>
          {props.children}
        </div>
      </form>
    </FormContext.Provider>
  );
}

function ownText(own: readonly FieldMistake[], place: string, t: ReturnType<typeof usePage>["t"]): string | undefined {
  const found = own.find(({ path }) => path === place);
  return found && t(found.key, found.facts);
}

function withValue(value: JsonObject, name: string, next: Json | undefined): JsonObject {
  const { [name]: _, ...others } = value;
  return isEmpty(next) ? others : { ...others, [name]: next };
}

/** Fields to show at once, and fields to fold away. */
function sorted(fields: readonly Field[], first: readonly string[], value: JsonObject): [Field[], Field[]] {
  const rank = ({ name }: Field) => (first.includes(name) ? first.indexOf(name) : first.length);
  const isShown = (field: Field) =>
    first.length === 0 || first.includes(field.name) || field.isRequired || !isEmpty(value[field.name]);
  return [fields.filter(isShown).sort((a, b) => rank(a) - rank(b)), fields.filter((field) => !isShown(field))];
}
