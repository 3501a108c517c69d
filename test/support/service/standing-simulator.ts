import { formatInstant } from "../../../src/core/time/interval.ts";
import { type SimulatorOptions, startSimulator } from "../../../src/simulator/simulator.ts";

/** Starts a simulator whose time is `time.now`, which only the test changes. */
export async function startAt(now: number, options: Partial<SimulatorOptions> = {}) {
  const time = { now };
  const simulator = await startSimulator({ now: () => time.now, ...options });
  const service = {
    url: simulator.url,
    consumerKey: simulator.keys.consumerKey ?? "",
    thirdPartyToken: simulator.keys.thirdPartyToken,
  };
  return { simulator, service, time, [Symbol.asyncDispose]: () => simulator.close() };
}

/** Returns the parameters of a request for the hours of a range. */
export function hours(from: number, to: number) {
  return { from: formatInstant(from), to: formatInstant(to), aggregation: "hour" };
}
