/** The secrets of a configuration, and a copy of it that shows only whether each secret is set. */
import { isSecretKey } from "./reading/mistake.ts";
import type { Config } from "./schema/schema.ts";
import { isTree } from "./tree.ts";

/** Minimum length of a secret. A shorter text may be part of any word, and protects nothing. */
const MIN_LENGTH = 4;

const SET = "(set)";

/** Returns a configuration without its secrets, also without those in URLs. */
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

/** Returns every secret once, including those in URLs. */
export function secretsIn(config: Config): string[] {
  const found = textsIn(config).flatMap(({ text, keys }) => (keys.some(isSecretKey) ? [text] : loginIn(text)));
  return [...new Set(found)].filter((secret) => secret.length >= MIN_LENGTH);
}

/** Returns whether a value contains a secret: under a secret key, or as the login of a URL. */
export function holdsSecret(value: unknown): boolean {
  return textsIn(value).some(({ text, keys }) =>
    keys.some(isSecretKey) ? text !== "" : /^[a-z]+:\/\/[^/@]*:[^/@]+@/i.test(text),
  );
}

/** Returns user and password of a URL, as written and URL-decoded. */
function loginIn(text: string): string[] {
  const [, login = ""] = /^[a-z][a-z0-9+.-]*:\/\/([^/]*)@/i.exec(text) ?? [];
  const parts = login.split(":").filter((part) => part !== "");
  return parts.flatMap((part) => [part, decoded(part)]);
}

/** Returns every user name, also of other programs: values of keys that are called `username`. */
export function userNamesIn(value: unknown): string[] {
  return textsAt(value, /^username$/);
}

/** Returns the host names of URLs and lists that may tell who the owner is: those with a dot, and public addresses. */
export function hostNamesIn({ service: _, ...config }: Config): string[] {
  const texts = textsAt(config, /^(hosts?|cors|.*url)$/);
  const names = texts.map((text) => text.replace(/^[a-z+]+:\/\/(?:[^/]*@)?/i, "").replace(/[/?#].*$|:\d+$/g, ""));
  return names.map((name) => name.replace(/^\*\./, "")).filter((name) => name.includes(".") && !COMMON_HOST.test(name));
}

/** Addresses of home networks and of this machine, and the public server of ntfy. */
const COMMON_HOST = /^(0\.0\.0\.0|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|ntfy\.sh)$/;

/** Returns the texts of the keys that match. */
function textsAt(value: unknown, name: RegExp): string[] {
  return textsIn(value).flatMap(({ text, keys }) => (name.test(keys.at(-1) ?? "") ? [text] : []));
}

/** Returns every text with the keys above it. */
function textsIn(value: unknown, keys: readonly string[] = []): { text: string; keys: readonly string[] }[] {
  if (typeof value === "string") return [{ text: value, keys }];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, keys));
  return isTree(value) ? Object.entries(value).flatMap(([key, each]) => textsIn(each, [...keys, key])) : [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not URL-encoded
  }
}
