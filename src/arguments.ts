/** The daemon's command line. */
import { parseArgs } from "node:util";
import { parseInstant } from "./contract/range.ts";
import type { EpochMs } from "./core/interval.ts";

export const HELP = `elbro: electricity prices and plans for the house

usage: elbro [run] [options]
       elbro hash-password    reads a password and prints what may stand for it in broker.users

  --config FILE    configuration; else ELBRO_CONFIG, ./config/elbro.yaml, /data/elbro.yaml; without any: the demo
  --clock INSTANT  live at another time, for instance 2025-10-25T20:00:00Z (also ELBRO_CLOCK)
  --speed N        let that time pass N times as fast (also ELBRO_SPEED)
  --version        print the version
  --help           print this
`;

/** A command line that cannot be used, in one sentence for its writer. */
export class BadArgument extends Error {}

export interface Arguments {
  readonly command: "run" | "hash-password" | "help" | "version";
  readonly configPath: string | null;
  /** Time to live at; null for the machine's own. */
  readonly simulated: { readonly start: EpochMs | null; readonly speed: number } | null;
}

const MOST_SPEED = 100_000;

/** Reads the command line; the environment gives what it leaves out. Errors: throws a BadArgument. */
export function readArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Arguments {
  const { values, positionals } = parse(argv);
  const [command = "run", ...rest] = positionals;
  if ((command !== "run" && command !== "hash-password") || rest.length > 0)
    throw new BadArgument(`"${positionals.join(" ")}" is no command; expected run or hash-password, or see --help`);
  const clock = values.clock ?? environment.ELBRO_CLOCK;
  const speed = values.speed ?? environment.ELBRO_SPEED;
  return {
    command: values.help ? "help" : values.version ? "version" : command,
    configPath: values.config ?? environment.ELBRO_CONFIG ?? null,
    simulated: clock === undefined && speed === undefined ? null : { start: readClock(clock), speed: readSpeed(speed) },
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        config: { type: "string" },
        clock: { type: "string" },
        speed: { type: "string" },
        help: { type: "boolean" },
        version: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new BadArgument(`${error instanceof Error ? error.message.split(". ")[0] : "unknown option"}; see --help`);
  }
}

function readClock(text: string | undefined): EpochMs | null {
  if (text === undefined) return null;
  const reading = parseInstant(text);
  if (reading.kind === "unreadable")
    throw new BadArgument(`--clock: ${reading.why}; expected for instance 2025-10-25T20:00:00Z`);
  return reading.at;
}

function readSpeed(text: string | undefined): number {
  const speed = Number(text ?? "1");
  if (speed > 0 && speed <= MOST_SPEED) return speed;
  throw new BadArgument(`--speed: "${text}" is not a number above 0 and at most ${MOST_SPEED}`);
}
