import mqtt from "mqtt";

/** A broker may send what it keeps beside what is new; after so many round trips without any, all of it has come. */
const QUIET_ROUND_TRIPS = 3;

/** Everything a broker keeps, by topic, as a client sees it that comes now. */
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
