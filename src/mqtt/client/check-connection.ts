/** Checks whether a broker accepts the configured login: connects and closes without publishing. */
import { message, type Text } from "../../core/language/text.ts";
import type { BrokerAccess } from "./broker-session.ts";
import { runSession } from "./session.ts";

/** Time limit of opening the stream and waiting for CONNACK. */
const TRIAL_MS = 10_000;

/** Returns the reason why the connection fails; null if the broker accepts it. */
export async function tryBroker(access: BrokerAccess): Promise<Text | null> {
  const late = AbortSignal.timeout(TRIAL_MS);
  const up = new AbortController();
  // With an empty client id, the broker assigns one, so no other client is disconnected.
  const trial = { ...access, clientId: "", statusTopic: null, onUp: () => up.abort() };
  // Every broker speaks MQTT 3.1.1.
  const { reason } = await runSession(trial, 4, { qos: 1, retain: true }, AbortSignal.any([late, up.signal]));
  if (up.signal.aborted) return null;
  return late.aborted ? message("mqtt.late") : reason;
}
