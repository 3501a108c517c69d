import { formatInstant } from "../../core/time/interval.ts";
import { type Simulator, startSimulator } from "../../service/simulator/simulator.ts";
import { readSimulatorOptions } from "./simulate-options.ts";

/** `elbro simulate`: the service's double on a port of its own, for a person with curl or a daemon with a demo key. */
export async function main(argv: readonly string[]): Promise<number> {
  const given = readSimulatorOptions(argv, Date.now);
  if (given.kind === "help") {
    process.stdout.write(given.text);
    return 0;
  }
  try {
    const simulator = await startSimulator({ ...given.options, onCrash: reportCrash });
    process.stdout.write(greeting(simulator));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void simulator.close());
    return 0;
  } catch (error) {
    process.stderr.write(`elbro: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function reportCrash(error: unknown, requestId: string): void {
  process.stderr.write(`request ${requestId} failed: ${String(error)}\n`);
}

function greeting({ url, keys, clock }: Simulator): string {
  return `The simulator plays the service at ${url} (now ${formatInstant(clock.now())}, speed ${clock.speed}).

consumer key        ${keys.consumerKey}
third-party key     ${keys.thirdParty.apiKey}
third-party secret  ${keys.thirdParty.apiSecret}
third-party token   ${keys.thirdPartyToken}

curl -H 'Authorization: Bearer ${keys.consumerKey}' ${url}/consumer/v1/me/addresses

State and controls: ${url}/simulator
`;
}
