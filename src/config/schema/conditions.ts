/** Conditions on the keys of an entry: which ones are allowed and required depends on the value of another key. */

export interface KeyCondition {
  readonly key: string;
  /** Values of `key` for which the condition applies. */
  readonly values: readonly string[];
  /** Keys that are not allowed if the condition applies. */
  readonly without: readonly string[];
  /** Keys of which at least one is required if the condition applies. */
  readonly oneOf?: readonly string[];
}

/** Returns the condition as JSON Schema. */
export function schemaOfCondition({ key, values, without, oneOf }: KeyCondition): Record<string, unknown> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: {
      type: "object",
      ...(without.length > 0 && { properties: Object.fromEntries(without.map((name) => [name, false])) }),
      ...(oneOf && { anyOf: oneOf.map((name) => ({ type: "object", required: [name] })) }),
    },
    if: { type: "object", required: [key], properties: { [key]: { enum: values } } },
  };
}
