/** Which keys of an entry are of use, and which are needed, by the value of another key. */

export interface Condition {
  readonly key: string;
  /** The values of the key for which this holds. */
  readonly values: readonly string[];
  /** Keys that are a mistake then. */
  readonly without: readonly string[];
  /** Keys of which one is needed then; none is if it is empty. */
  readonly oneOf: readonly string[];
}

/** The condition in JSON Schema. */
export function schemaOfCondition({ key, values, without, oneOf }: Condition): Record<string, unknown> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
    then: {
      type: "object",
      ...(without.length > 0 && { properties: Object.fromEntries(without.map((name) => [name, false])) }),
      ...(oneOf.length > 0 && { anyOf: oneOf.map((name) => ({ type: "object", required: [name] })) }),
    },
    if: { type: "object", required: [key], properties: { [key]: { enum: values } } },
  };
}
