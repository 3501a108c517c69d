/** Entries of forms that were not saved. They are kept for the session of the tab, without secrets. */
import type { Json, JsonObject, JsonSchema } from "./fields.ts";

const PREFIX = "elbro-draft-";

/** Returns the kept entries of a form; null without any. */
export function draftOf(name: string): JsonObject | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "null");
    return typeof found === "object" && !Array.isArray(found) ? (found as JsonObject | null) : null;
  } catch {
    return null; // no storage, or not JSON
  }
}

/** Keeps the entries of a form with this schema, which marks the secrets. */
export function keepDraft(name: string, value: JsonObject, schema: JsonSchema): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(withoutSecrets(value, schema)));
  } catch {
    // Without storage nothing is kept.
  }
}

export function dropDraft(name: string): void {
  try {
    sessionStorage.removeItem(PREFIX + name);
  } catch {
    // Without storage nothing is kept.
  }
}

function withoutSecrets(value: JsonObject, { properties = {} }: JsonSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const { [key]: schema = {} } = properties;
      return schema.writeOnly ? [] : [[key, isObject(each) ? withoutSecrets(each, schema) : each]];
    }),
  );
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
