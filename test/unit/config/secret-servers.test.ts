/** Each secret of the schema, over every sequence of three changes: it is only ever used with the server it belongs to. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { EVERYTHING, lay } from "../../../src/config/overlay/lay.ts";
import { EMPTY_OVERLAY, type Overlay, overlayText } from "../../../src/config/overlay/overlay-file.ts";
import { bound, withoutReplaced, withPresentSecrets } from "../../../src/config/overlay/overlay-secrets.ts";
import { checkServers, serverIn, serverOf } from "../../../src/config/overlay/secret-servers.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import { configSchema, secretServers } from "../../../src/config/schema/schema.ts";
import { keysBelow, schemaAt } from "../../../src/config/schema/schema-nodes.ts";
import { isTree, type Tree, valueAt } from "../../../src/config/tree.ts";
import { InvariantError } from "../../../src/core/invariant.ts";

/** A secret, its server, and the keys without which neither is valid. */
type Secret = { readonly path: string; readonly server: string; readonly others: Tree; readonly scheme: string };

const OTHERS: Readonly<Record<string, Tree>> = {
  "third_party.api_key": { api_secret: "pair" },
  "third_party.api_secret": { api_key: "pair" },
  "notify.password": { username: "user" },
};
const SCHEMES: Readonly<Record<string, string>> = { "mqtt.url": "mqtt", "archive.url": "postgres" };

const ofKeys = keysBelow(configSchema).flatMap(({ path }): Secret[] => {
  const named = serverOf(schemaAt(path, configSchema)) ?? "nobody";
  if (named === "nobody" || named === "itself") return [];
  const server = named.includes(".") ? named : [...path.slice(0, -1), named].join(".");
  const key = path.join(".");
  return [{ path: key, server, others: OTHERS[key] ?? {}, scheme: SCHEMES[server] ?? "http" }];
});
const secrets: readonly Secret[] = [
  ...ofKeys,
  { path: "plugs.lamp.password", server: "plugs.lamp.url", others: {}, scheme: "http" },
];

const LAMP = { name: "Lamp", family: "tasmota", signal_topic: "night" };

type Layer = "file" | "page";
/** Undefined leaves a key as it is; null removes it. `reset` makes the page say nothing of it. */
type Change =
  | { readonly layer: Layer; readonly host?: "a" | "b" | null; readonly secret?: "new" | null; readonly reset?: true }
  | { readonly undo: true };

const changes: readonly Change[] = [
  { layer: "file", host: "a" },
  { layer: "file", host: "b" },
  { layer: "file", host: null },
  { layer: "file", secret: "new" },
  { layer: "file", secret: null },
  { layer: "page", host: "a" },
  { layer: "page", host: "b" },
  { layer: "page", host: null },
  { layer: "page", secret: "new" },
  { layer: "page", secret: null },
  { layer: "page", host: "b", secret: "new" },
  { layer: "page", reset: true },
  { undo: true },
];

interface State {
  readonly file: Tree;
  readonly page: Overlay;
  /** State of the page before its last change. */
  readonly before: Overlay;
  /** Servers that may hear each secret. */
  readonly hears: ReadonlyMap<string, ReadonlySet<string>>;
}

const EMPTY: State = { file: {}, page: EMPTY_OVERLAY, before: EMPTY_OVERLAY, hears: new Map() };

function withKey(tree: Tree, path: string, value: unknown): Tree {
  const [key = "", ...rest] = path.split(".");
  if (rest.length > 0) return { ...tree, [key]: withKey(isTree(tree[key]) ? tree[key] : {}, rest.join("."), value) };
  const { [key]: _, ...others } = tree;
  return value === undefined ? others : { ...tree, [key]: value };
}

const sectionOf = (path: string) => path.slice(0, path.lastIndexOf("."));
const treeOf = ({ settings, plugs }: Overlay): Tree => ({ ...settings, plugs });
/** The owner's file has a list of plugs. */
const fileOf = ({ plugs, ...others }: Tree): Tree =>
  isTree(plugs)
    ? { ...others, plugs: Object.entries(plugs).map(([id, entry]) => ({ ...(entry as Tree), id })) }
    : others;

/** Returns a layer after a change. */
function changed(secret: Secret, tree: Tree, change: Exclude<Change, { undo: true }>, canary: string): Tree {
  const isPage = change.layer === "page";
  const section = sectionOf(secret.path);
  const isPlug = section.startsWith("plugs.");
  if (change.reset) return withKey(withKey(tree, secret.path, undefined), isPlug ? section : secret.server, undefined);
  const none = isPage ? null : undefined;
  let next = tree;
  if (change.host === null) next = isPlug ? withKey(next, section, none) : withKey(next, secret.server, none);
  else if (change.host) next = withKey(next, secret.server, `${secret.scheme}://${change.host}.test`);
  if (change.secret === null) next = withKey(next, secret.path, none);
  else if (change.secret) next = withKey(next, secret.path, canary);
  for (const [key, value] of Object.entries({ ...(isPlug ? LAMP : {}), ...secret.others }))
    if (isTree(valueAt(next, section))) next = withKey(next, `${section}.${key}`, value);
  return next;
}

/** Returns the server that a key names. */
function serverOfTree(secret: Secret, tree: object): string {
  const url =
    valueAt(tree, secret.server) ?? (secret.server === "service.base_url" ? "https://api.minstroem.app" : null);
  return typeof url === "string" ? new URL(url).host : "none";
}

const byId = (tree: Tree): Tree =>
  Array.isArray(tree.plugs) ? { ...tree, plugs: Object.fromEntries(tree.plugs.map((each) => [each.id, each])) } : tree;

/** Returns the state after a change, as the page's writer and a reload make it. */
function after(secret: Secret, state: State, change: Change, canary: string): State {
  const hears = new Map(state.hears);
  const hear = (value: unknown, server: string) =>
    typeof value === "string" && hears.set(value, new Set([...(hears.get(value) ?? []), server]));
  let { file, page, before } = state;
  if ("undo" in change) {
    const whole = withPresentSecrets(withoutReplaced(before, page), page);
    if (!("settings" in whole)) return state;
    [page, before] = [
      bound(whole, new Set(), lay(fileOf(file), { ...whole, servers: null }, EVERYTHING).servers).overlay,
      page,
    ];
  } else if (change.layer === "file") file = changed(secret, file, change, canary);
  else {
    const { plugs, ...settings } = changed(secret, treeOf(page), change, canary);
    const next = { ...page, settings, plugs: (plugs ?? {}) as Overlay["plugs"] };
    const { servers } = lay(fileOf(file), { ...next, servers: null }, EVERYTHING);
    const given = new Set(change.secret ? [secret.path] : []);
    [page, before] = [bound(next, given, servers).overlay, page];
    const whole = lay(fileOf(file), { ...page, servers: null }, EVERYTHING).tree;
    if (change.secret) hear(canary, serverOfTree(secret, byId(whole)));
  }
  hear(valueAt(file, secret.path), serverOfTree(secret, file));
  return { file, page, before, hears };
}

/** Returns the leak of a configuration; null if its secret goes to a server that may hear it. */
function leakIn(secret: Secret, { hears }: State, config: object): string | null {
  const value = valueAt(config, secret.path);
  if (typeof value !== "string" || value === "pair") return null;
  const server = serverOfTree(secret, config);
  return hears.get(value)?.has(server) ? null : `${secret.path}: ${value} leaves for ${server}`;
}

test("the secrets that are sent to a server, and no other key of the configuration, name it", () => {
  expect(Object.fromEntries(secrets.map(({ path, server }) => [path, server]))).toEqual({
    "consumer.api_key": "service.base_url",
    "third_party.api_key": "service.base_url",
    "third_party.api_secret": "service.base_url",
    accounts_dir: "service.base_url",
    "mqtt.password": "mqtt.url",
    "home_assistant.token": "home_assistant.url",
    "notify.webhook_headers": "notify.webhook_url",
    "notify.webhook_body": "notify.webhook_url",
    "notify.token": "notify.topic_url",
    "notify.password": "notify.topic_url",
    "archive.password": "archive.url",
    "plugs.lamp.password": "plugs.lamp.url",
  });
});

test("no sequence of three changes sends a secret to another server, for each secret", () => {
  const leaks: string[] = [];
  let states = 0;
  let used = 0;
  for (const secret of secrets) {
    const walk = (state: State, steps: readonly number[]) => {
      if (steps.length === 3) return;
      for (const [i, change] of changes.entries()) {
        const here = [...steps, i];
        const next = after(secret, state, change, `canary-${here.join("-")}`);
        const { tree } = lay(fileOf(next.file), next.page, EVERYTHING);
        states++;
        if (typeof valueAt(byId(tree), secret.path) === "string") used++;
        const leak = leakIn(secret, next, byId(tree));
        if (leak) leaks.push(`${leak} after ${JSON.stringify(here.map((each) => changes[each]))}`);
        walk(next, here);
      }
    };
    walk(EMPTY, []);
  }
  expect(leaks).toEqual([]);
  expect(states).toBe(secrets.length * (13 + 13 ** 2 + 13 ** 3));
  // A secret is used as long as its server stays.
  expect(used).toBeGreaterThan(states / 4);
});

test("the same holds for the configuration that is read, whatever of the page's file is left out as a mistake", () => {
  const step = fc.constantFrom(...changes);
  fc.assert(
    fc.property(fc.constantFrom(...secrets), fc.array(step, { maxLength: 6 }), (secret, steps) => {
      let state = EMPTY;
      for (const [i, change] of steps.entries()) {
        state = after(secret, state, change, `canary-${i}`);
        const { file, page } = state;
        const reading = readConfig({
          text: stringify(fileOf(file)),
          environment: {},
          readFile: () => "",
          overlay: () => overlayText(page),
        });
        if (reading.kind === "config") expect(leakIn(secret, state, byId(reading.config))).toBeNull();
      }
    }),
    { numRuns: 300 },
  );
});

test("a file of an earlier version binds its secrets to their present servers", () => {
  const settings = { mqtt: { password: "word" } };
  const text = stringify({ version: 2, settings });
  const read = (file: Tree, page: string) => {
    const reading = readConfig({ text: stringify(file), environment: {}, readFile: () => "", overlay: () => page });
    if (reading.kind === "mistakes") throw new Error("mistakes");
    return reading;
  };
  const { config, overlay: page } = read({ mqtt: { url: "mqtt://a.test" } }, text);
  expect(config.mqtt.password).toBe("word");
  const upgraded = overlayText({ ...EMPTY_OVERLAY, settings, servers: page.servers });
  expect(read({ mqtt: { url: "mqtt://a.test/x" } }, upgraded).config.mqtt.password).toBe("word");
  const moved = read({ mqtt: { url: "mqtt://b.test" } }, upgraded);
  expect(moved.config.mqtt).not.toHaveProperty("password");
  expect(moved.overlay.lost).toMatchObject([{ path: "mqtt.password", key: "mistake.needed_again" }]);
});

test("another certificate authority or fingerprint is another server", () => {
  const settings = { mqtt: { password: "word" } };
  const owner = { mqtt: { url: "mqtts://a.test" } };
  const { servers } = lay(owner, { ...EMPTY_OVERLAY, settings, servers: null }, EVERYTHING);
  const page = { ...EMPTY_OVERLAY, settings: { mqtt: { password: "word", ca: "PEM" } }, servers };
  expect(valueAt(lay(owner, page, EVERYTHING).tree, "mqtt")).toEqual({ url: "mqtts://a.test", ca: "PEM" });
});

test.each(secrets)("$path with the server of another configuration breaks a promise", ({ path, server, scheme }) => {
  const of = (host: string) => withKey({}, server, `${scheme}://${host}.example`);
  const source = byId(withKey(of("a"), path, "secret"));
  const sources = [{ tree: source, serverOf: () => serverIn(configSchema, source, server.split(".")) }];
  const mixed = (host: string) => byId(withKey(of(host), path, "secret"));
  expect(() => checkServers(configSchema, mixed("a"), sources)).not.toThrow();
  expect(() => checkServers(configSchema, mixed("b"), sources)).toThrow(
    new InvariantError(`invariant: a secret leaves for its server: ${path}`),
  );
});

test("every server of a secret is a key of the configuration", () => {
  const known = keysBelow(configSchema).map(({ path }) => path.join("."));
  expect(secretServers.filter((server) => !known.includes(server))).toEqual([]);
});
