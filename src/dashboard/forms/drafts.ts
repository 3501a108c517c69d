/** Entries of forms that were not saved. They are kept for the session of the tab, without secrets. */
import { ownJson } from "../../core/text/own-json.ts";
import { keep, kept } from "../store/browser-storage.ts";
import type { JsonObject, JsonSchema } from "./fields.ts";

/** Returns the kept entries of a form; null without any. */
export function draftOf(name: string): JsonObject | null {
  const found = ownJson(kept(`draft-${name}`, "sessionStorage") ?? "");
  return isObject(found) ? found : null;
}

/** Keeps the entries of a form with this schema, which marks the secrets. */
export function keepDraft(name: string, value: JsonObject, schema: JsonSchema): void {
  keep(`draft-${name}`, JSON.stringify(withoutSecrets(value, schema)), "sessionStorage");
}

export function dropDraft(name: string): void {
  keep(`draft-${name}`, null, "sessionStorage");
}

function withoutSecrets(value: JsonObject, { properties = {} }: JsonSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const { [key]: schema = {} } = properties;
      return schema.writeOnly ? [] : [[key, isObject(each) ? withoutSecrets(each, schema) : each]];
    }),
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
