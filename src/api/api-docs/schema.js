/** Shows a JSON schema: its fields with their types. Each level opens on its own. */
import { at, h, prose } from "./elements.js";

/** Returns the element of a schema. It follows a reference only when opened, so recursive schemas are no problem. */
export function schemaNode(api, given) {
  if (!given) return "";
  const schema = resolved(api, given);
  const fields = fieldsOf(api, schema);
  const line = [h("code", {}, kindOf(api, given)), schema.description ? " " : "", ...prose(schema.description ?? "")];
  if (fields.length === 0) return h("p", { class: "schema" }, ...line);
  const node = h("details", { class: "schema" }, h("summary", {}, ...line));
  node.addEventListener(
    "toggle",
    () =>
      node.append(
        h(
          "dl",
          {},
          fields.flatMap((field) => fieldNodes(api, field)),
        ),
      ),
    {
      once: true,
    },
  );
  return node;
}

function fieldNodes(api, { name, required, schema }) {
  return [
    h("dt", {}, h("code", {}, name), h("span", { class: "quiet" }, required ? "" : " optional")),
    h("dd", {}, schemaNode(api, schema)),
  ];
}

function resolved(api, schema) {
  return schema.$ref ? { ...at(api, schema.$ref), name: schema.$ref.split("/").at(-1) } : schema;
}

/** Returns the fields of an object, of a list's items, or of all parts of a combined schema. */
function fieldsOf(api, schema) {
  if (schema.items) return fieldsOf(api, resolved(api, schema.items));
  const parts = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const found = new Map();
  for (const part of parts) {
    const { properties = {}, required = [] } = resolved(api, part);
    for (const [name, own] of Object.entries(properties))
      found.set(name, { name, schema: own, required: required.includes(name) });
  }
  return [...found.values()];
}

/** Returns the type of a value, for instance `string, date-time`, `list of PriceRow` or `number or null`. */
function kindOf(api, given) {
  const schema = resolved(api, given);
  // For an enum, the values are shown, not the name of its schema.
  if (given.$ref && !schema.enum) return schema.name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map((part) => kindOf(api, part)).join(" or ");
  if (schema.allOf) return schema.allOf.map((part) => kindOf(api, part)).join(" with ");
  if (schema.type === "array") return `list of ${kindOf(api, schema.items ?? {})}`;
  const bounds = [
    schema.format,
    schema.pattern && `like ${schema.pattern}`,
    schema.minimum !== undefined && `at least ${schema.minimum}`,
    schema.maximum !== undefined && `at most ${schema.maximum}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type ?? "anything");
  return [type, ...bounds].join(", ");
}
