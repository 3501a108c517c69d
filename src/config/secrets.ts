/** The secrets of a configuration, and what may be shown of it: what is secret says only that it is set. */
import { isSecretKey } from "./config-error.ts";
import type { Config } from "./schema.ts";
import { isTree } from "./tree.ts";

/** A text this short may be part of any word; as a secret it protects nothing. */
const MIN_LENGTH = 4;

const SET = "(set)";

/** Everything of a configuration but its secrets, also those within URLs. */
export function redactedConfig(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactedConfig);
  if (typeof value === "string") return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, `$1${SET}@`);
  if (!isTree(value)) return value;
  const shown = Object.entries(value).map(([name, below]) => [
    name,
    isSecretKey(name) && below !== undefined ? SET : redactedConfig(below),
  ]);
  return Object.fromEntries(shown);
}

/** Every secret there is, those within URLs included. Shape: each once. */
export function secretsIn(config: Config): string[] {
  return [...new Set(below(config, false))].filter((secret) => secret.length >= MIN_LENGTH);
}

function below(value: unknown, isSecret: boolean): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => below(item, isSecret));
  if (isTree(value)) return Object.entries(value).flatMap(([key, each]) => below(each, isSecretKey(key)));
  if (typeof value !== "string") return [];
  return isSecret ? [value] : loginIn(value);
}

/** User and password of a URL, as they stand and as they are meant. */
function loginIn(text: string): string[] {
  const [, login = ""] = /^[a-z][a-z0-9+.-]*:\/\/([^/]*)@/i.exec(text) ?? [];
  const parts = login.split(":").filter((part) => part !== "");
  return parts.flatMap((part) => [part, decoded(part)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // written as it is meant
  }
}
