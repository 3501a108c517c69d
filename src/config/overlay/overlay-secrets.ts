/** Secrets in page.yaml, each with its server, and in its states: a state that is kept loses replaced secrets. */

import { message } from "../../core/language/text.ts";
import { type ConfigMistake, isSecretKey, pathText } from "../reading/mistake.ts";
import { configSchema } from "../schema/schema.ts";
import { isTree } from "../tree.ts";
import { neededAgain, withoutLost } from "./lay.ts";
import type { Overlay, Servers } from "./overlay-file.ts";
import { secretPlacesIn } from "./secret-servers.ts";

/** Stands for a replaced secret in a state that is kept. */
const REPLACED = "(replaced)";

const LOGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i;

/**
 * Returns a page's file with the servers of its secrets, without those that belong to another server than the present
 * one. A secret that is `given` belongs to its present server.
 */
export function bound(
  overlay: Overlay,
  given: ReadonlySet<string>,
  present: Servers,
): { readonly overlay: Overlay; readonly lost: readonly ConfigMistake[] } {
  const { settings, plugs, servers } = overlay;
  const lost = secretPlacesIn(configSchema, { ...settings, plugs }).filter((place) => {
    const path = pathText(place.path);
    return !given.has(path) && servers?.[path] !== present[path];
  });
  return { overlay: withoutLost({ ...overlay, servers: present }, lost), lost: lost.map(neededAgain) };
}

/** Returns a state without the secrets that have another value now. */
export function withoutReplaced({ servers, ...state }: Overlay, now: Overlay): Overlay {
  const open = walked(state, now, (value, current) =>
    typeof current === "string" && current !== value ? REPLACED : value,
  );
  return { ...(open as typeof state), servers };
}

/** Returns a state with the present secrets in place of those that it lost, or what has to be entered again. */
export function withPresentSecrets(state: Overlay, now: Overlay): Overlay | readonly ConfigMistake[] {
  const mistakes: ConfigMistake[] = [];
  const { servers: before, ...values } = state;
  const servers = { ...before };
  const overlay = walked(values, now, (value, current, path) => {
    if (value !== REPLACED) return value;
    const own = path.replace(/^settings\./, "");
    servers[own] = now.servers?.[own] ?? "";
    if (typeof current === "string") return current;
    mistakes.push({ path, ...message("mistake.not_kept") });
    return value;
  });
  return mistakes.length > 0 ? mistakes : { ...(overlay as typeof values), servers };
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
