/** Checks whether a broker accepts the configured login: connects and closes without publishing. */
import type { Duplex } from "node:stream";
import clientModule from "mqtt/lib/client";
import { message, type Text } from "../../core/language/text.ts";
import type { BrokerAccess } from "./broker-session.ts";
import { explainFailure, explainSilentClose } from "./connect-errors.ts";

const MqttClient = clientModule.default;

/** Time limit of opening the stream, and again of waiting for CONNACK. */
const TRIAL_MS = 10_000;

/** Returns the reason why the connection fails; null if the broker accepts it. */
export async function tryBroker({ open, username, password }: BrokerAccess): Promise<Text | null> {
  const signal = AbortSignal.timeout(TRIAL_MS);
  let stream: Duplex;
  try {
    stream = await open(signal);
  } catch (error) {
    return signal.aborted ? message("mqtt.late") : explainFailure(error, "opening");
  }
  // Every broker speaks MQTT 3.1.1. The broker assigns a client id, so no other client is disconnected.
  const client = new MqttClient(() => stream, {
    ...{ clientId: "", protocolVersion: 4, clean: true, reconnectPeriod: 0, connectTimeout: TRIAL_MS },
    ...{ writeCache: false, resubscribe: false },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  });
  return new Promise((resolve) => {
    let failure: unknown = null;
    client.on("connect", () => {
      resolve(null);
      client.end(true);
    });
    client.on("error", (error) => {
      failure ??= error;
      stream.destroy();
    });
    client.on("close", () => {
      resolve(failure === null ? explainSilentClose("greeting") : explainFailure(failure, "greeting"));
      client.end(true);
    });
  });
}
