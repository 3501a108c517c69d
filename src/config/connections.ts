/**
 * Connections that the page can change, by keys of the configuration, and the servers that each secret is sent to.
 * A stored secret is only ever sent to the server it was saved for.
 */
import { isDeepStrictEqual } from "node:util";
import { type Message, message } from "../core/language/text.ts";
import { entryId } from "./entry-list.ts";
import type { Config } from "./schema.ts";
import { valueAt } from "./tree.ts";

/** Keys by connection, in the order of its form. */
export const connections = {
  service: [
    "consumer.api_key",
    "third_party.api_key",
    "third_party.api_secret",
    "third_party.hash_encoding",
    "service.base_url",
    "service.ca",
  ],
  mqtt: ["mqtt.url", "mqtt.username", "mqtt.password", "mqtt.ca", "mqtt.cert", "mqtt.key"],
  home_assistant: ["home_assistant.url", "home_assistant.token"],
} as const;
export type ConnectionName = keyof typeof connections;
export const connectionNames: readonly ConnectionName[] = ["service", "mqtt", "home_assistant"];

/** Sections of the configuration that hold keys of a connection. */
export const connectionSections: readonly string[] = [
  ...new Set(Object.values(connections).flatMap((paths) => paths.map((path) => path.split(".")[0] ?? ""))),
];

/** Server, by the keys that name and authenticate it, and the secrets that are sent to it. */
interface Destination {
  readonly server: readonly string[];
  readonly secrets: readonly string[];
}

/** Files of accounts hold keys of the service, so that their folder counts like a key. */
const DESTINATIONS: readonly Destination[] = [
  {
    server: ["service.base_url", "service.ca"],
    secrets: ["consumer", "consumer.api_key", "third_party.api_key", "third_party.api_secret", "accounts_dir"],
  },
  { server: ["mqtt.url", "mqtt.ca"], secrets: ["mqtt.password", "mqtt.key"] },
  { server: ["home_assistant.url"], secrets: ["home_assistant.token"] },
  { server: ["notify.topic_url"], secrets: ["notify.token", "notify.password"] },
  { server: ["notify.webhook_url"], secrets: ["notify.webhook_headers", "notify.webhook_body"] },
];

/** What two configurations mean for the servers that secrets are sent to. */
export interface ServerChange {
  /** Keys that name another server than before. */
  readonly moved: readonly string[];
  /** Secrets that did not change and would be sent to that server. */
  readonly secrets: readonly ({ readonly path: string } & Message)[];
}

/** Returns which servers differ between two configurations, and which unchanged secrets would be sent to them. */
export function serverChange(before: Config, after: Config): ServerChange {
  const found = DESTINATIONS.map((each) => changeOf(each, before, after));
  const plugs = after.plugs.flatMap((plug) => {
    const old = before.plugs.find((each) => entryId(each) === entryId(plug));
    if (!old || (originOf(old.url) === originOf(plug.url) && old.certificate === plug.certificate)) return [];
    const path = `plugs.${entryId(plug)}.password`;
    const isKept = plug.password !== undefined && plug.password === old.password;
    return isKept ? [{ path, ...message("mistake.needed_again", { moved: "url" }) }] : [];
  });
  return {
    moved: found.flatMap(({ moved }) => moved),
    secrets: [...found.flatMap(({ secrets }) => secrets), ...plugs],
  };
}

function changeOf({ server, secrets }: Destination, before: Config, after: Config): ServerChange {
  const moved = server.filter(
    (path) =>
      originOf(valueAt(after, path)) !== originOf(valueAt(before, path)) &&
      // A connection that is new or ends sends no secret to another server.
      (valueAt(before, server[0] ?? "") ?? null) !== null &&
      (valueAt(after, server[0] ?? "") ?? null) !== null,
  );
  const unchanged = secrets.filter((path) => {
    const value = valueAt(after, path);
    // Several accounts are a list, of which each key counts.
    const isSecret = path === "consumer" ? Array.isArray(value) : value !== undefined;
    return isSecret && isDeepStrictEqual(value, valueAt(before, path));
  });
  const said = message("mistake.needed_again", { moved: moved.map((path) => path.split(".").at(-1)).join(", ") });
  return { moved, secrets: moved.length === 0 ? [] : unchanged.map((path) => ({ path, ...said })) };
}

/** Returns the server of a URL; any other value unchanged. */
function originOf(value: unknown): unknown {
  if (typeof value !== "string" || !/^[a-z]+:\/\//i.test(value) || !URL.canParse(value)) return value ?? null;
  const { protocol, host } = new URL(value);
  return `${protocol}//${host}`;
}
