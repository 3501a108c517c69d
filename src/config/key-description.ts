/**
 * Descriptions of the configuration's keys, kept next to their schemas.
 * Tables, the example and the JSON Schema are made from them.
 */
import * as z from "zod/mini";

export interface KeyDescription {
  /** One or two sentences. */
  readonly about: string;
  /** Value as YAML text, for a key without a default. */
  readonly example?: string;
  /** A file that holds the value, for texts that are better kept out of the configuration. */
  readonly exampleFile?: string;
  /** Items as YAML text, for a list. Each is complete. */
  readonly items?: readonly string[];
  /** Unit or form, if the type does not show it. */
  readonly form?: string;
}

const descriptions = z.registry<KeyDescription>();

/** Adds a description to the schema of a key. Returns a copy, because several keys may have the same schema. */
export function key<Schema extends z.ZodMiniType>(
  schema: Schema,
  about: string,
  more?: Omit<KeyDescription, "about">,
): Schema {
  const own = schema.clone(schema._zod.def);
  descriptions.add(own, { about, ...more });
  return own;
}

/** Returns the description of a key; undefined if its schema was not made by `key`. */
export function descriptionOf(schema: z.core.$ZodType): KeyDescription | undefined {
  return descriptions.get(schema);
}
