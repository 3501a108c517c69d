/** Starts the embedded broker, and makes the connection options for it or for the configured broker. */
import type { Config } from "../../config/schema/schema.ts";
import { onPort } from "../../core/status/start-error.ts";
import type { BrokerAccess } from "../client/broker-session.ts";
import type { MqttClientLog } from "../client/mqtt-client.ts";
import { openBrokerStream } from "../client/transport.ts";
import type { EmbeddedBroker } from "./embedded-broker.ts";
import { refusalLog } from "./refusal-log.ts";

/** Log message if `hasNoUsers` is true. */
export const NO_BROKER_USERS =
  "the embedded broker has no users, so nothing can connect: set broker.users, or mqtt.url to use another broker";

/** Returns whether the embedded broker is used and has no users. */
export function hasNoUsers({ mqtt, broker }: Config): boolean {
  return mqtt.url === undefined && broker.users.length === 0;
}

/**
 * Starts the embedded broker; returns null if `mqtt.url` is set. Rejects with a StartError if a port cannot be used.
 */
export async function startBroker(
  config: Config,
  log: MqttClientLog,
  { anonymous }: { readonly anonymous: boolean },
): Promise<EmbeddedBroker | null> {
  if (config.mqtt.url !== undefined) return null;
  const { startEmbeddedBroker } = await import("./embedded-broker.ts");
  const { host, port, users, tls } = config.broker;
  const { base_topic: baseTopic, discovery_prefix: discoveryPrefix } = config.mqtt;
  const onRefused = (user: string, topic: string, reason: string) =>
    log.warn({ user, topic, reason }, "the broker refused a message or a subscription");
  const onLockedOut = (address: string) =>
    log.warn({ address }, "repeated wrong passwords at the broker; logins are delayed");
  const onConnectionRefused = refusalLog(
    (facts) => log.warn(facts, "the broker refused a connection"),
    () => performance.now(),
  );
  const events = { onRefused, onLockedOut, onConnectionRefused };
  const options = { ...events, users, tls, anonymous, baseTopic, discoveryPrefix, host, port };
  const broker = await onPort("broker", port, () => startEmbeddedBroker(options));
  if (hasNoUsers(config) && !anonymous) log.warn({ host: broker.host }, NO_BROKER_USERS);
  else log.info({ host: broker.host, port: broker.port }, "broker listens");
  return broker;
}

/**
 * Returns how to connect to the broker. The embedded broker needs no login of the daemon.
 * The configured user name and password take precedence over those of the URL.
 */
export function connectionTo(broker: EmbeddedBroker | null, { mqtt }: Config): BrokerAccess {
  if (broker) return { open: async () => broker.open() };
  const { url = "", ca, cert, key } = mqtt;
  const login = new URL(url);
  const ofUrl = (text: string) => (text === "" ? undefined : decodeURIComponent(text));
  return {
    open: (signal) => openBrokerStream({ url, ca, cert, key }, signal),
    username: mqtt.username ?? ofUrl(login.username),
    password: mqtt.password ?? ofUrl(login.password),
  };
}

/** Returns the URL of a broker without user name and password. */
export function withoutLogin(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//");
}
