/** An MQTT client in a process of its own, to be killed. Prints its stored topics. Argument: port of a broker. */
import { TestMqttClient } from "./test-mqtt-client.ts";

const link = new TestMqttClient({
  to: Number(process.argv[2]),
  memory: { read: () => null, write: (_name, text) => void process.stdout.write(`${text}\n`) },
});
link.showStates({ "elbro/ghost": "1" });
