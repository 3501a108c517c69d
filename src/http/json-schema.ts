/** Parts of the JSON schemas in the OpenAPI document. */

export { named } from "../service/contract/named-schemas.ts";

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: "string" };
export const boolean: Schema = { type: "boolean" };
export const number: Schema = { type: "number" };
export const integer: Schema = { type: "integer" };
export const instant: Schema = { type: "string", format: "date-time" };
export const localTime: Schema = { type: "string", pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" };

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

export function list(items: Schema): Schema {
  return { type: "array", items };
}

/**
 * Returns the schema of an object. All properties are required except the optional ones; later versions may add some.
 */
export function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  return { type: "object", properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

export function reference(kind: "schemas" | "responses" | "headers", name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Returns a response with an HTML page. */
export function htmlResponse(description: string): Schema {
  return { description, content: { "text/html": { schema: text } } };
}

/** Returns a response with a JSON body. */
export function jsonResponse(description: string, schema: Schema): Schema {
  return { description, content: { "application/json": { schema } } };
}
