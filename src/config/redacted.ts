/** A configuration as it may be shown: what is secret says only that it is set. */
import { isSecretKey, isTree } from "./config-error.ts";
import type { Config } from "./schema.ts";

const SET = "(set)";

/** Everything of a configuration but its secrets, also those within URLs. */
export function redactedConfig(config: Config): unknown {
  return redacted(config);
}

function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (isTree(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, below]) => [
        name,
        isSecretKey(name) && below !== undefined ? SET : redacted(below),
      ]),
    );
  return typeof value === "string" ? withoutLogin(value) : value;
}

/** User and password of a URL. */
function withoutLogin(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, `$1${SET}@`);
}
