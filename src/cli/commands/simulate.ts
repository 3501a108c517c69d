/** `elbro simulate`: the simulator on a port of its own, for curl or for a daemon with a demo key. */

import { readBounded } from "../../config/reading/bounded-file.ts";
import { textIn } from "../../core/language/text.ts";
import { errorMessage } from "../../core/text/error-words.ts";
import { foreignSources, readForeign } from "../../core/text/foreign-text.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { parseInstant } from "../../service/contract/range.ts";
import { readFaultRules } from "../../simulator/fault-rules.ts";
import { type HomeName, homeNames } from "../../simulator/homes.ts";
import { readPriceFile } from "../../simulator/market/price-file.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/simulator.ts";
import {
  type Arguments,
  BadArgument,
  type CommandLine,
  encodingArgument,
  optionLines,
  textArgument,
} from "../arguments.ts";
import { failed } from "../output.ts";

const options = {
  port: { type: "string", value: "N", about: "port to listen on (9000)" },
  host: { type: "string", value: "ADDRESS", about: "address to listen on (127.0.0.1)" },
  seed: { type: "string", value: "N", about: "seed of the simulated market and household (1)" },
  prices: { type: "string", value: "FILE", about: "real day-ahead prices as CSV: start_utc,minutes,dkk_per_mwh" },
  replay: { type: "boolean", about: "replay the file's year from today's date" },
  clock: { type: "string", value: "ISO", about: "simulated start time, such as 2025-10-25T20:00:00Z" },
  speed: { type: "string", value: "N", about: "simulated seconds per real second (1)" },
  limits: { type: "string", value: "MINUTE/DAY", about: "quota of the consumer interface (60/2000)" },
  faults: { type: "string", value: "FILE", about: "fault script as JSON" },
  homes: { type: "string", value: "NAMES", about: "of danish,swedish,norwegian (danish,swedish)" },
  accounts: { type: "string", value: "N", about: "number of accounts (1); key N is the first key followed by -N" },
  "hash-encoding": { type: "string", value: "KIND", about: "hash in the third-party token: hex or base64 (hex)" },
} as const;

const OPTION_COLUMN = 22;
/** Ten years of quarters of both regions. */
const MAX_PRICES_BYTES = 32 * 1024 * 1024;
const MAX_ACCOUNTS = 100_000;
const about = "Runs a simulator of the electricity data service on this machine, with both interfaces.";

export const line: CommandLine = {
  usage: "simulate",
  about,
  takes: [],
  options,
  help: `${about}

usage: elbro simulate [options]     (in a clone: npm start -- simulate [options])

${optionLines([...Object.entries(options), ["help", { type: "boolean", about: "" }]], OPTION_COLUMN)}
`,
};

export async function main(given: Arguments): Promise<number> {
  const wanted = simulatorOptions(given, Date.now);
  try {
    const onCrash = (error: unknown, requestId: string) =>
      process.stderr.write(`request ${requestId} failed: ${String(error)}\n`);
    const simulator = await startSimulator({ ...wanted, onCrash });
    process.stdout.write(greeting(simulator));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void simulator.close());
    return 0;
  } catch (error) {
    return failed(errorMessage(error));
  }
}

function greeting({ url, keys, clock }: Simulator): string {
  return `The simulator of the service runs at ${url} (now ${formatInstant(clock.now())}, speed ${clock.speed}).

consumer key        ${keys.consumerKey}
third-party key     ${keys.thirdParty.apiKey}
third-party secret  ${keys.thirdParty.apiSecret}
third-party token   ${keys.thirdPartyToken}

curl -H 'Authorization: Bearer ${keys.consumerKey}' ${url}/consumer/v1/me/addresses

State and controls: ${url}/simulator
`;
}

/** Errors: throws a BadArgument for the first invalid argument. */
export function simulatorOptions({ values }: Arguments, now: () => EpochMs): SimulatorOptions {
  const text = (name: keyof typeof options) => textArgument(values[name]);
  const [clock, prices, faults] = [text("clock"), text("prices"), text("faults")];
  const replay = values.replay === true;
  if (replay && prices === undefined) throw bad("--replay needs --prices FILE");
  return {
    now,
    clock: {
      ...(clock !== undefined && { at: instantOf("--clock", clock) }),
      speed: numberOf("--speed", text("speed") ?? "1", 0, 100_000),
    },
    port: wholeNumberOf("--port", text("port") ?? "9000", 65_535),
    host: text("host") ?? "127.0.0.1",
    seed: wholeNumberOf("--seed", text("seed") ?? "1", 2 ** 31 - 1),
    ...(prices !== undefined && {
      prices: { csv: pricesOf(prices), replay: replay ? "onTodaysDate" : "asDated" },
    }),
    limits: limitsOf(text("limits") ?? "60/2000"),
    faults: faults === undefined ? [] : faultsOf(faults),
    accounts: wholeNumberOf("--accounts", text("accounts") ?? "1", MAX_ACCOUNTS),
    homes: homesOf(text("homes") ?? "danish,swedish"),
    hashEncoding: encodingArgument(text("hash-encoding")),
  };
}

function bad(message: string): BadArgument {
  return new BadArgument(`${message}; see elbro simulate --help`);
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= least && value <= most))
    throw bad(`${name} is "${text}"; expected a number from ${least} to ${most}`);
  return value;
}

function wholeNumberOf(name: string, text: string, most: number): number {
  if (!/^\d{1,10}$/.test(text)) throw bad(`${name} is "${text}"; expected a whole number up to ${most}`);
  return numberOf(name, text, 0, most);
}

function instantOf(name: string, text: string): number {
  const reading = parseInstant(text);
  if (reading.kind === "value") return reading.value;
  throw bad(`${name}: ${reading.why}`);
}

function limitsOf(text: string): { minute: number; day: number } {
  const [, minute = "", day = ""] = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(text) ?? [];
  if (minute === "") throw bad(`--limits is "${text}"; expected MINUTE/DAY such as 60/2000`);
  return { minute: Number(minute), day: Number(day) };
}

function homesOf(text: string): HomeName[] {
  return text.split(",").map((name) => {
    const home = homeNames.find((known) => known === name);
    if (home) return home;
    throw bad(`--homes has "${name}"; expected some of ${homeNames.join(",")}`);
  });
}

function pricesOf(path: string): string {
  const csv = read("--prices", path, MAX_PRICES_BYTES);
  const reading = readPriceFile(csv);
  if (reading.kind === "unreadable") throw bad(`--prices ${path}: ${reading.why}`);
  return csv;
}

function faultsOf(path: string) {
  const reading = readFaultRules(jsonOf(path));
  if (reading.kind === "unreadable") throw bad(`--faults ${path}: ${reading.problems.join("; ")}`);
  return reading.rules;
}

function jsonOf(path: string): unknown {
  const reading = readForeign("faults", read("--faults", path, foreignSources.faults.length));
  if (reading.kind === "value") return reading.value;
  throw bad(`--faults ${path}: ${textIn("en", reading.why)}`);
}

function read(name: string, path: string, maxBytes: number): string {
  try {
    return readBounded(path, maxBytes);
  } catch (error) {
    throw bad(`${name} ${path}: ${errorMessage(error)}`);
  }
}
