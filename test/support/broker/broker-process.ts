/** Runs the embedded broker in its own process, for machines without Mosquitto. Prints its port as the first line. */
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";

/** Base topic and discovery prefix that no test uses, so that every client may publish to all other topics. */
const NOBODYS_TOPIC = "nobody";

const broker = await startEmbeddedBroker({
  host: "127.0.0.1",
  port: 0,
  users: [],
  anonymous: true,
  baseTopic: NOBODYS_TOPIC,
  discoveryPrefix: NOBODYS_TOPIC,
  onRefused: () => undefined,
  onConnectionRefused: () => undefined,
});
process.stdout.write(`${broker.port}\n`);
