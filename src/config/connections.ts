/** Connections that the page can change, by keys of the configuration. */
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
