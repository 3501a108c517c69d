/**
 * Shows, tests and changes the connections of the configuration. A secret is never returned, and a stored one is only
 * ever sent to the server it was saved for (`page-writer.ts`).
 */
import { isDeepStrictEqual } from "node:util";
import { message, textIn } from "../../core/language/text.ts";
import { restartKeysOf } from "../config-change.ts";
import { type ConnectionName, connectionNames, connections } from "../connections.ts";
import { isSecretKey } from "../mistake.ts";
import type { PageFile } from "../page-file.ts";
import type { Config } from "../schema.ts";
import { FILE_SUFFIX } from "../schema-nodes.ts";
import { redactedConfig } from "../secrets.ts";
import { isTree, type Tree, valueAt, withoutKey } from "../tree.ts";
import { type Caller, type Edited, type EditRefusal, INVENTED, mistaken } from "./edit-refusal.ts";
import type { PageNow, PageWriter } from "./page-writer.ts";

/** A requested change. Keys that are left out stay; null removes one. */
export interface ConnectionChange {
  readonly name: ConnectionName;
  readonly keys: unknown;
  readonly caller: Caller;
}

export class ConnectionEditor {
  readonly #page: PageWriter;

  constructor(page: PageWriter) {
    this.#page = page;
  }

  /** Returns the connections by their keys; `fixed` is why they cannot be changed here, or null. */
  saved() {
    const { isInvented, waiting } = this.#page;
    const now = this.#page.saved();
    const { revision, config } = now;
    const list = connectionNames.map((id) => ({
      id,
      keys: connections[id].map((key) => this.#keyOf(key, config, now)),
    }));
    return { fixed: isInvented ? textIn("en", INVENTED) : null, revision, waiting, connections: list };
  }

  async change(wanted: ConnectionChange): Promise<Edited> {
    const values = valuesOf(wanted);
    if ("kind" in values) return values;
    return this.#page.edit(targetOf(wanted, values), (now) => this.#changed(now, values));
  }

  /** Returns the configuration with a change, to test it, or why it cannot be tested. */
  tried(wanted: ConnectionChange): Config | EditRefusal {
    const values = valuesOf(wanted);
    if ("kind" in values) return values;
    return this.#page.tried(targetOf(wanted, values), (now) => this.#changed(now, values));
  }

  /** Removes what page.yaml says of a connection, so that it is again as in the owner's file. */
  reset(name: ConnectionName, caller: Caller): Promise<Edited> {
    return this.#page.edit({ id: name, path: "", caller }, ({ page }) => ({
      ...page,
      settings: connections[name].reduce<Tree>((settings, path) => without(settings, path), page.settings),
    }));
  }

  #keyOf(key: string, config: Config, now: PageNow) {
    const found = valueAt(config, key) ?? null;
    const is_secret = isSecretKey(key.split(".").at(-1) ?? "");
    return {
      key,
      is_secret,
      is_set: found !== null,
      value: is_secret ? null : redactedConfig(found),
      outside: this.#isOutside(key, now),
      overrides: valueAt(now.page.settings, key) !== undefined,
      restart: restartKeysOf(key.split(".")[0] ?? "").includes(key),
    };
  }

  #isOutside(key: string, { owner }: PageNow): boolean {
    const isSet = this.#page.isSetOutside(key) || valueAt(owner, `${key}${FILE_SUFFIX}`) !== undefined;
    return isSet || Array.isArray(valueAt(owner, key.split(".")[0] ?? ""));
  }

  #changed(now: PageNow, values: Values): PageFile | EditRefusal {
    const fixed = Object.keys(values).filter((key) => this.#isOutside(key, now));
    if (fixed.length > 0)
      return mistaken(
        "conflict",
        fixed.map((path) => ({ path, ...message("mistake.set_outside") })),
      );
    const settings = Object.entries(values).reduce<Tree>((tree, [path, value]) => {
      const isOwners = isDeepStrictEqual(value, valueAt(now.owner, path) ?? null);
      return isOwners ? without(tree, path) : withKey(tree, path, value);
    }, now.page.settings);
    return { ...now.page, settings };
  }
}

/** Values by the keys of a connection, such as `mqtt.url`. */
type Values = Readonly<Partial<Record<(typeof connections)[ConnectionName][number], unknown>>>;

function targetOf({ name, caller }: ConnectionChange, values: Values) {
  return { id: name, path: "", caller, given: Object.keys(values) };
}

/** Returns the values of a change, or why they cannot be those of its connection. */
function valuesOf({ name, keys }: ConnectionChange): Values | EditRefusal {
  const values = isTree(keys) ? keys : {};
  const known: readonly string[] = connections[name];
  const expected = known.join(", ");
  const foreign = Object.keys(values).filter((key) => !known.includes(key));
  const mistakes = foreign.map((path) => ({ path, ...message("mistake.no_connection_key", { expected }) }));
  return mistakes.length > 0 ? mistaken("invalid_parameter", mistakes) : values;
}

function withKey(tree: Tree, path: string, value: unknown): Tree {
  const [section = "", key = ""] = path.split(".");
  const before = tree[section];
  return { ...tree, [section]: { ...(isTree(before) ? before : {}), [key]: value } };
}

function without(tree: Tree, path: string): Tree {
  const [section = "", key = ""] = path.split(".");
  const own = tree[section];
  if (!isTree(own)) return tree;
  const rest = withoutKey(own, key);
  return Object.keys(rest).length > 0 ? { ...tree, [section]: rest } : withoutKey(tree, section);
}
