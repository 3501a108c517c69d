/** Looks whether a broker lets this daemon in: connects, and leaves without a word. */
import type { Duplex } from "node:stream";
import clientModule from "mqtt/lib/client";
import type { BrokerAccess } from "./broker-session.ts";
import { explainFailure, explainSilentClose } from "./connect-errors.ts";

const MqttClient = clientModule.default;

/** The whole trial ends within this. */
const TRIAL_MS = 10_000;

/** Says why the broker does not let us in; null where it does. */
export async function tryBroker({ open, username, password }: BrokerAccess): Promise<string | null> {
  const signal = AbortSignal.timeout(TRIAL_MS);
  let stream: Duplex;
  try {
    stream = await open(signal);
  } catch (error) {
    return signal.aborted ? "the broker does not answer in time" : explainFailure(error, "opening");
  }
  // 3.1.1 is what every broker speaks. A client id of the broker's choosing disturbs nobody.
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
