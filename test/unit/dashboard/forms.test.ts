import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keysOf } from "../../../src/config/config-change.ts";
import { configJsonSchema } from "../../../src/config/schema/json-schema.ts";
import { keyRows } from "../../../src/config/schema/key-rows.ts";
import { settingNames } from "../../../src/config/settings.ts";
import { mistakesIn, readText } from "../../../src/dashboard/forms/checks.ts";
import {
  type Field,
  fieldOf,
  type JsonSchema,
  schemaOfKeys,
  usefulFields,
} from "../../../src/dashboard/forms/fields.ts";
import { labelOf, textOf } from "../../../src/dashboard/forms/form-texts.ts";
import { numberText, readNumber } from "../../../src/dashboard/words/number-text.ts";
import { languages } from "../../../src/i18n/languages.ts";
import { allTexts, completeLanguages } from "../../support/sources/all-texts.ts";

const sections = (configJsonSchema() as JsonSchema).properties ?? {};
const plan = fieldOf(sections.plans?.items ?? {}, "plans[]");
const plug = fieldOf(sections.plugs?.items ?? {}, "plugs[]");

/** Returns all fields below a field. */
function below(field: Field): Field[] {
  if (field.kind === "group") return field.fields.flatMap((each) => [each, ...below(each)]);
  if (field.kind === "list") return [field.item, ...below(field.item)];
  return field.kind === "one-of" ? field.forms.flatMap(below) : [];
}

/** Returns a field by its name, or by the names of its groups. */
function within(field: Field, ...names: string[]): Field {
  const [name, ...rest] = names;
  if (name === undefined) return field;
  const found = field.kind === "group" ? field.fields.find((each) => each.name === name) : undefined;
  if (!found) throw new Error(`there is no field ${name}`);
  return within(found, ...rest);
}

test("a field without a text is called by its key", () => {
  expect([labelOf({}, "plans[].ready_by"), labelOf({}, "hours")]).toEqual(["Ready by", "Hours"]);
});

describe("form fields are derived from the schema:", () => {
  test("a plug has groups, and keys with several forms", () => {
    expect(within(plug, "plan").kind).toBe("one-of");
    expect(within(plug, "on", "topic")).toMatchObject({ kind: "text", isRequired: true });
  });

  test("a text that can come from a file is required, and its `_file` key is not a field", () => {
    expect(within(plan, "name").isRequired).toBe(true);
    expect(within(plan, "from").isRequired).toBe(false);
    const accounts = fieldOf(sections.consumer ?? {}, "consumer");
    const [account] = accounts.kind === "one-of" ? accounts.forms : [];
    expect(account?.kind === "group" && account.fields.map(({ name }) => name)).toEqual(["name", "api_key"]);
  });

  test("the texts that are hidden while typed are the secrets of the configuration", () => {
    const all = Object.entries(sections).flatMap(([name, schema]) => below(fieldOf(schema, name)));
    const hidden = new Set(all.flatMap((field) => (field.kind === "text" && field.isSecret ? [field.path] : [])));
    const secrets = keyRows().flatMap(({ path, secret }) => (secret ? [path] : []));
    expect(secrets).toContain("notify.topic_url");
    expect([...hidden].sort()).toEqual([...new Set(secrets)].sort());
  });
});

test.each([
  ["3", 3],
  ["1,5", 1.5],
  ["1h30m", "1h30m"],
  ["  ", undefined],
  ["30", "30"],
  ["0x3", "0x3"],
])("the hours %j are read as %j", (text, value) => {
  expect(readText(within(plan, "hours"), text)).toBe(value);
});

test("any decimal is read with a comma and with a point, and as it is shown in each language", () => {
  const decimal = fc.double({ noNaN: true, min: -100_000, max: 100_000 }).map((value) => Number(value.toFixed(6)) + 0);
  fc.assert(
    fc.property(decimal, fc.constantFrom(".", ","), fc.constantFrom(...languages), (value, sign, language) => {
      const text = value.toFixed(6).replace(".", sign);
      expect(readNumber(text)).toBe(value);
      expect(readNumber(numberText(value, language))).toBe(value);
    }),
  );
});

test.each(["", ",", "1,2,3", "1.000,5", "1e3", "0x10", "Infinity", "1 kr"])("%j is not a number", (text) => {
  expect(readNumber(text)).toBeNull();
});

test("each mistake that needs no rules of the daemon has the path of its value", () => {
  const wrong = { name: "Washer", home: "Home!", hours: "soon", max_price: 500, fallback: ["02:00-05:00", "night"] };
  expect(mistakesIn(plan, wrong, "").map(({ path, key }) => [path, key])).toEqual([
    ["kind", "form_required"],
    ["max_price", "form_most"],
  ]);
});

describe.each(Object.entries(allTexts))("form texts in %s", (language, { forms: texts }) => {
  const fields = new Map(
    [plan, plug].flatMap((field) => (field.kind === "group" ? field.fields : [])).map((f) => [f.path, f]),
  );

  test("have each field of plans, plugs and settings, with its description", () => {
    const keys = settingNames.flatMap(keysOf);
    const { properties = {} } = schemaOfKeys({ properties: sections }, keys);
    const settings = keys.map((key) => fieldOf(properties[key] ?? {}, key));
    for (const field of [...below(plan), ...below(plug), ...settings]) {
      const text = textOf(texts, field.path);
      expect(text?.label, field.path).toBeTruthy();
      if (completeLanguages.some((each) => each === language) && !field.path.endsWith("[]"))
        expect(text?.about, field.path).toBeDefined();
      if (field.kind === "choice" || field.kind === "choices")
        for (const option of field.options)
          if (!/^plugs\[\].family$|language$|\.unit$/.test(field.path))
            expect(Object.keys(text?.options ?? {}), field.path).toContain(option);
    }
  });

  test("have existing keys with all their options", () => {
    const known = keyRows().map(({ path }) => path);
    for (const [path, { options }] of Object.entries(texts as Record<string, { options?: object }>)) {
      if (!path.startsWith("*.")) expect(known).toContain(path);
      const field = fields.get(path);
      if (options && field && "options" in field)
        expect(field.options).toEqual(expect.arrayContaining(Object.keys(options)));
    }
  });
});

describe("the form shows fields by the conditions of the schema:", () => {
  const planSchema = sections.plans?.items ?? {};
  const plugSchema = sections.plugs?.items ?? {};
  const fieldsOf = (field: Field) => (field.kind === "group" ? field.fields : []);
  const shown = (value: Record<string, string | number>) => usefulFields(planSchema, fieldsOf(plan), value);

  test("without a kind all fields are shown", () => {
    expect(shown({})).toHaveLength(fieldsOf(plan).length);
  });

  test("only a custom plug has switch commands; it alone requires no topic", () => {
    const names = (family: string) => usefulFields(plugSchema, fieldsOf(plug), { family }).map(({ name }) => name);
    expect(names("tasmota")).not.toContain("dead_man");
    expect(names("custom")).toContain("dead_man");
    expect(names("custom")).not.toContain("url");
    expect(names("shelly_gen2")).toContain("url");
  });
});
