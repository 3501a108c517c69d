/** Secrets in states of page.yaml: a state that is kept loses each secret that was replaced since. */

import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { message } from "../core/language/text.ts";
import { type ConfigMistake, isSecretKey, pathText } from "./mistake.ts";
import type { PageFile } from "./page-file.ts";
import { isTree } from "./tree.ts";
import { readYaml } from "./yaml-text.ts";

/** Stands for a replaced secret in a state that is kept. */
const REPLACED = "(replaced)";

const LOGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i;

/** Returns a state without the secrets that have another value now. */
export function withoutReplaced(state: PageFile, now: PageFile): PageFile {
  return walked(state, now, (value, current) =>
    typeof current === "string" && current !== value ? REPLACED : value,
  ) as PageFile;
}

/** Returns a state with the present secrets in place of those that it lost, or what has to be entered again. */
export function withPresentSecrets(state: PageFile, now: PageFile): PageFile | readonly ConfigMistake[] {
  const mistakes: ConfigMistake[] = [];
  const page = walked(state, now, (value, current, path) => {
    if (value !== REPLACED) return value;
    if (typeof current === "string") return current;
    mistakes.push({ path, ...message("mistake.not_kept") });
    return value;
  });
  return mistakes.length > 0 ? mistakes : (page as PageFile);
}

/** Returns a text of page.yaml without secrets, unchanged if it has none; null if it cannot be read. */
export function withoutSecrets(text: string): string | null {
  const reading = readYaml(text);
  if (reading.kind === "mistake") return null;
  const open = walked(reading.value, undefined, (value) => (value === REPLACED ? value : undefined));
  return isDeepStrictEqual(open, reading.value) ? text : stringify(open);
}

/**
 * Returns a copy in which `change` replaced the secrets, each with the value at the same place of another tree. Undefined
 * leaves a secret out.
 */
function walked(
  value: unknown,
  other: unknown,
  change: (value: unknown, other: unknown, path: string) => unknown,
  path: readonly PropertyKey[] = [],
): unknown {
  if (Array.isArray(value)) {
    const others = Array.isArray(other) ? other : [];
    return value.map((each, i) => walked(each, others[i], change, [...path, i])).filter((each) => each !== undefined);
  }
  if (isTree(value)) {
    const others = isTree(other) ? other : {};
    const entries = Object.entries(value).map(([name, each]) => [
      name,
      walked(each, others[name], change, [...path, name]),
    ]);
    return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
  }
  if (value === null) return value;
  const key = path.findLast((part) => typeof part === "string") ?? "";
  const isSecret = value === REPLACED || isSecretKey(String(key)) || (typeof value === "string" && LOGIN.test(value));
  return isSecret ? change(value, other, pathText(path)) : value;
}
