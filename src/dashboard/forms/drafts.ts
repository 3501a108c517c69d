/** Entries of forms that were not saved. They are kept for the session of the tab, without secrets. */
import type { Json, JsonObject } from "./fields.ts";

const PREFIX = "elbro-draft-";
const SECRET = /(^|_)(key|secret|password|token|topic_url|webhook_(url|headers|body))$/;

/** Returns the kept entries of a form; null without any. */
export function draftOf(name: string): JsonObject | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "null");
    return typeof found === "object" && !Array.isArray(found) ? (found as JsonObject | null) : null;
  } catch {
    return null; // no storage, or not JSON
  }
}

export function keepDraft(name: string, value: JsonObject): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(withoutSecrets(value)));
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

function withoutSecrets(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !SECRET.test(key))
      .map(([key, each]) => [key, isObject(each) ? withoutSecrets(each) : each]),
  );
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
