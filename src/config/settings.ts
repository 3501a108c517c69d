/** What the page can change, by keys of the configuration. Connections are the settings that can be tested. */
import type { Config } from "./schema/schema.ts";

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
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type ConnectionName = keyof typeof connections;

/** Top-level keys that are settings with all their keys: they concern neither accounts nor addresses. */
const whole = [
  "language",
  "levels",
  "notify",
  "mdns",
  "log",
  "history",
  "retention",
] as const satisfies readonly (keyof Config)[];
export type SettingName = ConnectionName | (typeof whole)[number];

export const connectionNames = Object.keys(connections) as readonly ConnectionName[];
export const settingNames: readonly SettingName[] = [...connectionNames, ...whole];

export function isConnection(name: SettingName): name is ConnectionName {
  return name in connections;
}

/** Sections of the configuration that hold keys of settings. */
export const settingSections: readonly string[] = [
  ...new Set([...whole, ...Object.values(connections).flatMap((paths) => paths.map((key) => key.split(".")[0] ?? ""))]),
];
