/**
 * Runs an MQTT client in its own process, so that a test can kill it. Prints its stored topics. Argument: port of a
 * broker.
 */
import { TestMqttClient } from "./test-mqtt-client.ts";

const link = new TestMqttClient({
  to: Number(process.argv[2]),
  memory: { read: () => null, write: (_name, text) => void process.stdout.write(`${text}\n`) },
});
link.showStates({ "elbro/ghost": "1" });
