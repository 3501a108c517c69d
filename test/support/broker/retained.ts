import mqtt from "mqtt";

/**
 * Retained messages may arrive interleaved with new ones. After this many round trips without one, all have arrived.
 */
const QUIET_ROUND_TRIPS = 3;

/**
 * Resolves with all retained messages of a broker by topic, as a new subscriber receives them. Rejects if the broker
 * disconnects.
 */
export async function retainedIn(
  port: number,
  login: { readonly username?: string; readonly password?: string } = {},
): Promise<Record<string, string>> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 4,
    reconnectPeriod: 0,
    ...login,
  });
  const end = `end-of-retained/${client.options.clientId}`;
  const found: Record<string, string> = {};
  let quiet = 0;
  await new Promise<void>((resolve, reject) => {
    const ask = () => client.publish(end, "", { qos: 1 });
    client.on("close", () => reject(new Error("the broker closed the connection")));
    client.on("message", (topic, payload, packet) => {
      if (topic !== end) {
        quiet = 0;
        if (packet.retain) found[topic] = payload.toString();
      } else if (++quiet > QUIET_ROUND_TRIPS) resolve();
      else ask();
    });
    client.subscribe("#", { qos: 1 }, ask);
  });
  client.removeAllListeners("close");
  await client.endAsync(true);
  return found;
}
