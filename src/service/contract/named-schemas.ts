/** Named JSON schemas; generated clients use the names for their types. */

type Json = Readonly<Record<string, unknown>>;

/** Adds a name to a schema. Two schemas with the same name must be equal. */
export function titled(name: string, schema: Json): Json {
  return { title: name, ...schema };
}

/** Copies JSON, replaces each named schema by a reference, and adds those schemas to `components`. */
export function withReferences<Value>(json: Value, components: Record<string, unknown>): Value {
  return (typeof json === "object" && json !== null ? referenced(json, components) : json) as Value;
}

function referenced(json: object, components: Record<string, unknown>): unknown {
  if (Array.isArray(json)) return json.map((each) => withReferences(each, components));
  const { title, ...rest } = json as Json;
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withReferences(value, components)]));
  if (typeof title !== "string")
    return title === undefined ? own : { title: withReferences(title, components), ...own };
  components[title] = own;
  return { $ref: `#/components/schemas/${title}` };
}
