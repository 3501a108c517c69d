import { formatInstant } from "../../core/time/interval.ts";
import { BadArgument, HELP, readArguments } from "../../service/simulator/arguments.ts";
import { type Simulator, startSimulator } from "../../service/simulator/simulator.ts";

/** Exit code of a configuration that cannot be used (EX_CONFIG of sysexits). */
const BAD_ARGUMENT = 78;

/** `elbro simulate`: the service's double on a port of its own, for a person with curl or a daemon with a demo key. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = readArguments(argv, Date.now);
    if (options === "help") process.stdout.write(HELP);
    else {
      const simulator = await startSimulator({ ...options, onCrash: reportCrash });
      process.stdout.write(greeting(simulator));
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void simulator.close());
    }
    return 0;
  } catch (error) {
    const isBadArgument = error instanceof BadArgument;
    const hint = isBadArgument ? "; see elbro simulate --help" : "";
    process.stderr.write(`elbro: ${error instanceof Error ? error.message : String(error)}${hint}\n`);
    return isBadArgument ? BAD_ARGUMENT : 1;
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
