/** A broker in a process of its own, where Mosquitto is not installed. Prints its port as the first line. */
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";

/** Anybody of this machine may publish anything: nothing of what is tested lies under this topic. */
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
