/** Which keys differ between two configurations, and which of them apply without a restart. */
import { isDeepStrictEqual } from "node:util";
import { checkServers, type SecretPlace, serverIn } from "./overlay/secret-servers.ts";
import { type Config, configSchema } from "./schema/schema.ts";
import { keysBelow } from "./schema/schema-nodes.ts";
import { connections, isConnection, type SettingName } from "./settings.ts";
import { valueAt } from "./tree.ts";

/** Every key that has a path of its own, sections included. Keys of list items have none. */
export const keys = keysBelow(configSchema);

/** Changed keys between two configurations. */
export interface ConfigChange {
  /** Applied at once. */
  readonly live: readonly string[];
  /** Applied after a restart. */
  readonly later: readonly string[];
}

/** Keys that apply at once. `api.host` and `api.port` need a restart; other `api` keys apply at once. */
const LIVE = /^(log\.level|plans|groups|plugs|homes|levels(\..+)?|notify(\..+)?|api\.(?!host$|port$).+)$/;

/** Also apply at once, unless the accounts come from another folder or belong to another service: then all of them change. */
const LIVE_ACCOUNTS = /^(consumer(\..+)?|accounts|third_party\.(?!places$).+)$/;

/** Keys of the service. Its data belongs to it, so the daemon starts again by itself when they change. */
const OF_SERVICE = /^service\.(base_url|ca)$/;

/** A new certificate applies at once. A server that begins or ends to use TLS needs a restart. */
const TLS = /^(api|broker)\.tls(\.|$)/;

function hasTls(server: "api" | "broker", before: Config, after: Config): boolean {
  return before[server].tls !== undefined && after[server].tls !== undefined;
}

function withTls<Section extends Config["api"] | Config["broker"]>(
  { tls: _, ...section }: Section,
  tls: Section["tls"],
) {
  return { ...section, ...(tls && { tls }) } as Section;
}

/** Returns whether the accounts of two configurations are of one service, and of one folder or both without one. */
function hasSameAccounts(before: Config, after: Config): boolean {
  const sourceOf = ({ service, accounts_dir, shard }: Config) => [service.base_url, service.ca, accounts_dir, shard];
  return isDeepStrictEqual(sourceOf(before), sourceOf(after));
}

/** Returns the keys of a section, or the section itself if it has none, of which a change needs a restart. */
export function restartKeysOf(section: string): string[] {
  return keys
    .filter(({ path, kind }) => path[0] === section && kind !== "section")
    .map(({ path }) => path.join("."))
    .filter((key) => !LIVE.test(key) && !LIVE_ACCOUNTS.test(key));
}

/** Returns the keys of a setting, in the order of its form. */
export function keysOf(name: SettingName): readonly string[] {
  if (isConnection(name)) return connections[name];
  return keys.filter(({ path, kind }) => path[0] === name && kind !== "section").map(({ path }) => path.join("."));
}

/** Returns whether a key belongs to the service, so that the daemon starts again by itself when it changes. */
export function isOfService(key: string): boolean {
  return OF_SERVICE.test(key);
}

/** Returns the changed keys, as in the file and in its order. A list is one key. */
export function changeBetween(before: Config, after: Config): ConfigChange {
  const leaves = keys.filter(({ kind }) => kind !== "section").map(({ path }) => path);
  const changed = Object.keys({ ...before, ...after }).flatMap((section) => {
    if (isDeepStrictEqual(valueAt(before, section), valueAt(after, section))) return [];
    if ([before, after].some((each) => Array.isArray(valueAt(each, section)))) return [section];
    const below = leaves.filter(
      (path) => path[0] === section && !isDeepStrictEqual(valueAt(before, path), valueAt(after, path)),
    );
    return below.length > 0 ? below.map((path) => path.join(".")) : [section];
  });
  const areSame = hasSameAccounts(before, after);
  const isLive = (key: string) => {
    const [, server] = TLS.exec(key) ?? [];
    if (server) return hasTls(server as "api" | "broker", before, after);
    return LIVE.test(key) || (areSame && LIVE_ACCOUNTS.test(key));
  };
  return { live: changed.filter(isLive), later: changed.filter((key) => !isLive(key)) };
}

/** Returns the configuration in use after a change: new values of the keys that apply at once, old values elsewhere. */
export function takenOver(before: Config, after: Config): Config {
  const { host, port } = before.api;
  const { log, plans, groups, plugs, homes, levels, notify, consumer, accounts } = after;
  const own = { consumer, third_party: thirdPartyOf(before, after), ...(accounts ? { accounts } : {}) };
  const level = { ...before.log, level: log.level };
  const next = {
    ...before,
    log: level,
    plans,
    groups,
    plugs,
    homes,
    levels,
    notify,
    api: withTls({ ...after.api, host, port }, (hasTls("api", before, after) ? after : before).api.tls),
    broker: withTls(before.broker, (hasTls("broker", before, after) ? after : before).broker.tls),
    ...(hasSameAccounts(before, after) ? own : {}),
  };
  const sources = [before, after].map((tree) => ({
    tree,
    serverOf: ({ server }: SecretPlace) => serverIn(configSchema, tree, server),
  }));
  checkServers(configSchema, next, sources);
  return next;
}

/** Returns the third-party account with its new key and the previous places. */
function thirdPartyOf({ third_party: before }: Config, { third_party: after }: Config): Config["third_party"] {
  if (!before && !after) return undefined;
  return { hash_encoding: "hex", ...after, places: before?.places ?? [] };
}
