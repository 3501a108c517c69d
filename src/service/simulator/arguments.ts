/** The command line of `npm run simulate`. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { EpochMs } from "../../core/time/interval.ts";
import { parseInstant } from "../contract/range.ts";
import type { HashEncoding } from "../third-party-token.ts";
import { readFaultRules } from "./fault-rules.ts";
import { type HomeName, homeNames } from "./homes.ts";
import { readPriceFile } from "./price-file.ts";
import type { SimulatorOptions } from "./simulator.ts";

export const HELP = `Plays the whole electricity data service on this machine, both interfaces.

usage: elbro simulate [options]     (in a clone: npm run simulate -- [options])

  --port N               port to listen on (9000)
  --host ADDRESS         address to listen on (127.0.0.1)
  --seed N               another seed, another invented market and household (1)
  --prices FILE          real day-ahead prices as CSV: start_utc,minutes,dkk_per_mwh
  --replay               play the file's year on today's date
  --clock ISO            begin at this time, such as 2025-10-25T20:00:00Z
  --speed N              simulated seconds per second (1)
  --limits MINUTE/DAY    quota of the consumer interface (60/2000)
  --faults FILE          a script of faults as JSON
  --homes NAMES          of danish,swedish,norwegian (danish,swedish)
  --hash-encoding KIND   hash in the third-party token: hex or base64 (hex)
  --help
`;

/** An argument that cannot be used. Its message is one sentence: which, what was found, what is expected. */
export class BadArgument extends Error {}

const options = {
  port: { type: "string", default: "9000" },
  host: { type: "string", default: "127.0.0.1" },
  seed: { type: "string", default: "1" },
  prices: { type: "string" },
  replay: { type: "boolean", default: false },
  clock: { type: "string" },
  speed: { type: "string", default: "1" },
  limits: { type: "string", default: "60/2000" },
  faults: { type: "string" },
  homes: { type: "string", default: "danish,swedish" },
  "hash-encoding": { type: "string", default: "hex" },
  help: { type: "boolean", default: false },
} as const;

/** Reads the command line. Errors: throws BadArgument for the first argument that cannot be used. */
export function readArguments(argv: readonly string[], now: () => EpochMs): SimulatorOptions | "help" {
  const given = parse(argv);
  if (given.help) return "help";
  if (given.replay && given.prices === undefined) throw new BadArgument("--replay needs --prices FILE");
  return {
    now,
    clock: {
      ...(given.clock !== undefined && { at: instantOf("--clock", given.clock) }),
      speed: numberOf("--speed", given.speed, 0, 100_000),
    },
    port: wholeNumberOf("--port", given.port, 65_535),
    host: given.host,
    seed: wholeNumberOf("--seed", given.seed, 2 ** 31 - 1),
    ...(given.prices !== undefined && {
      prices: { csv: pricesOf(given.prices), replay: given.replay ? "onTodaysDate" : "asDated" },
    }),
    limits: limitsOf(given.limits),
    faults: given.faults === undefined ? [] : faultsOf(given.faults),
    homes: homesOf(given.homes),
    hashEncoding: encodingOf(given["hash-encoding"]),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    throw new BadArgument(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= least && value <= most))
    throw new BadArgument(`${name} is "${text}"; expected a number from ${least} to ${most}`);
  return value;
}

function wholeNumberOf(name: string, text: string, most: number): number {
  if (!/^\d{1,10}$/.test(text)) throw new BadArgument(`${name} is "${text}"; expected a whole number up to ${most}`);
  return numberOf(name, text, 0, most);
}

function instantOf(name: string, text: string): number {
  const reading = parseInstant(text);
  if (reading.kind === "instant") return reading.at;
  throw new BadArgument(`${name}: ${reading.why}`);
}

function limitsOf(text: string): { minute: number; day: number } {
  const [, minute = "", day = ""] = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(text) ?? [];
  if (minute === "") throw new BadArgument(`--limits is "${text}"; expected MINUTE/DAY such as 60/2000`);
  return { minute: Number(minute), day: Number(day) };
}

function homesOf(text: string): HomeName[] {
  return text.split(",").map((name) => {
    const home = homeNames.find((known) => known === name);
    if (home) return home;
    throw new BadArgument(`--homes has "${name}"; expected some of ${homeNames.join(",")}`);
  });
}

function encodingOf(text: string): HashEncoding {
  if (text === "hex" || text === "base64") return text;
  throw new BadArgument(`--hash-encoding is "${text}"; expected hex or base64`);
}

function pricesOf(path: string): string {
  const csv = read("--prices", path);
  const reading = readPriceFile(csv);
  if (reading.kind === "unreadable") throw new BadArgument(`--prices ${path}: ${reading.why}`);
  return csv;
}

function faultsOf(path: string) {
  const reading = readFaultRules(jsonOf(path));
  if (reading.kind === "unreadable") throw new BadArgument(`--faults ${path}: ${reading.problems.join("; ")}`);
  return reading.rules;
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(read("--faults", path));
  } catch (error) {
    if (error instanceof BadArgument) throw error;
    throw new BadArgument(`--faults ${path}: not JSON: ${messageOf(error)}`);
  }
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new BadArgument(`${name} ${path}: ${messageOf(error)}`);
  }
}
