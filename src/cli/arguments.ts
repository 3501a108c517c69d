/** Parses command lines. Each command declares its own words and options. */

import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { nearest } from "../config/reading/suggest-key.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { parseInstant } from "../service/contract/range.ts";

/** Mistake in a command line, in one sentence. */
export class BadArgument extends Error {}

interface Option extends Pick<ParseArgsOptionDescriptor, "type" | "short"> {
  /** Placeholder of the value in the help. */
  readonly value?: string;
  readonly about: string;
}

type Options = Readonly<Record<string, Option>>;

export const jsonOption = {
  json: { type: "boolean", about: "print the answer of the endpoint as JSON, for programs" },
} as const;

/** Words and options of a command. Help and parser are made from it. */
export interface CommandLine {
  /** Name and words, such as `prices [HOME]`. */
  readonly usage: string;
  readonly about: string;
  /** Minimum and maximum number of words after the name. */
  readonly words?: readonly [least: number, most: number];
  readonly options?: Options;
  /** Common options of this command, besides `help`; all of them by default. */
  readonly takes?: readonly Common[];
  /** Help text that replaces the generated one. */
  readonly help?: string;
}

export interface Command {
  readonly line: CommandLine;
  /** Returns the exit code. Errors: throws a BadArgument or a StartError for mistakes that the owner can fix. */
  readonly main: (parsed: Arguments) => Promise<number>;
}

type Common = "config" | "clock" | "speed";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Arguments {
  readonly kind: "arguments";
  readonly words: readonly string[];
  readonly values: Values;
  readonly configPath: string | null;
  /** Simulated time; null for the time of this machine. */
  readonly simulated: Simulated | null;
}

export type Simulated = { readonly start: EpochMs | null; readonly speed: number };

type Values = Readonly<Record<string, string | boolean | undefined>>;

const MAX_SPEED = 100_000;

const commonOptions: Readonly<Record<Common | "help", Option>> = {
  config: {
    type: "string",
    value: "FILE",
    about: "configuration file; default: ELBRO_CONFIG, ./config/elbro.yaml or /data/elbro.yaml",
  },
  clock: {
    type: "string",
    value: "INSTANT",
    about: "simulated start time, such as 2025-10-25T20:00:00Z (also ELBRO_CLOCK)",
  },
  speed: { type: "string", value: "N", about: "speed of the simulated time, such as 60 (also ELBRO_SPEED)" },
  help: { type: "boolean", short: "h", about: "show this help" },
};

/** Returns the name of the command and the other arguments; null without a name. Options may precede the name. */
export function commandIn(argv: readonly string[]): { readonly name: string | null; readonly rest: readonly string[] } {
  const options: Options = { ...commonOptions, version: { type: "boolean", about: "" } };
  const { tokens } = parseArgs({ args: [...argv], allowPositionals: true, strict: false, tokens: true, options });
  const word = tokens.find((token) => token.kind === "positional");
  if (!word) return { name: null, rest: argv };
  return { name: word.value, rest: argv.filter((_, i) => i !== word.index) };
}

/** Parses the arguments of a command. The environment supplies missing ones. Errors: throws a BadArgument. */
export function readCommandLine(
  line: CommandLine,
  argv: readonly string[],
  environment: Environment,
): Arguments | { readonly kind: "help"; readonly text: string } {
  const common = commonOf(line);
  const { values, positionals } = parse(argv, { ...common, ...line.options }, line.usage);
  if (values.help === true) return { kind: "help", text: line.help ?? helpOf(line) };
  const [least, most] = line.words ?? [0, 0];
  if (positionals.length < least || positionals.length > most)
    throw new BadArgument(`usage: elbro ${line.usage}; see elbro ${line.usage.split(" ")[0]} --help`);
  const optionOf = (option: Common, variable: string): SourcedOption | null => {
    // A command may have its own option of that name.
    if (!(option in common)) return null;
    const [given, set] = [textArgument(values[option]), environment[variable]];
    if (given !== undefined) return { by: `--${option}`, text: given };
    return set === undefined ? null : { by: variable, text: set };
  };
  const clock = optionOf("clock", "ELBRO_CLOCK");
  const speed = optionOf("speed", "ELBRO_SPEED");
  return {
    kind: "arguments",
    words: positionals,
    values,
    configPath: optionOf("config", "ELBRO_CONFIG")?.text ?? null,
    simulated: clock || speed ? { start: clock && readClock(clock), speed: speed ? readSpeed(speed) : 1 } : null,
  };
}

export function textArgument(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the value of `--hash-encoding`. Errors: throws a BadArgument. */
export function encodingArgument(text = "hex"): "hex" | "base64" {
  if (text === "hex" || text === "base64") return text;
  throw new BadArgument(`--hash-encoding is "${text}"; expected hex or base64`);
}

function parse(argv: readonly string[], options: Options, usage: string) {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options });
    // Each option is allowed once, so a value is never a list.
    return { values: values as Values, positionals };
  } catch (error) {
    const why = error instanceof Error ? error.message.split(". ")[0] : "unknown option";
    const [, unknown] = /^Unknown option '--([\w-]+)'/.exec(why ?? "") ?? [];
    const meant = unknown === undefined ? null : nearest(unknown, Object.keys(options));
    throw new BadArgument(
      `${why}; ${meant === null ? "" : `did you mean --${meant}? `}see elbro ${usage.split(" ")[0]} --help`,
    );
  }
}

function commonOf({ takes }: CommandLine): Options {
  const belongs = ([name]: readonly [string, Option]) =>
    name === "help" || takes?.some((each) => each === name) !== false;
  return Object.fromEntries(Object.entries(commonOptions).filter(belongs));
}

function helpOf(line: CommandLine): string {
  const rows = Object.entries({ ...line.options, ...commonOf(line) });
  return `usage: elbro ${line.usage} [options]\n\n${line.about}\n\n${optionLines(rows, OPTION_COLUMN)}\n`;
}

const OPTION_COLUMN = 20;

/** Returns the lines of a help text that list options. Descriptions start at the same column. */
export function optionLines(rows: readonly (readonly [name: string, option: Option])[], column: number): string {
  const lineOf = ([name, { value, about }]: (typeof rows)[number]) =>
    `  ${`--${name}${value === undefined ? "" : ` ${value}`}`.padEnd(column)} ${about}`.trimEnd();
  return rows.map(lineOf).join("\n");
}

/** Value with its source: an option or a variable. */
type SourcedOption = { readonly by: string; readonly text: string };

function readClock({ by, text }: SourcedOption): EpochMs {
  const reading = parseInstant(text);
  if (reading.kind === "unreadable")
    throw new BadArgument(`${by}: ${reading.why}; expected for example 2025-10-25T20:00:00Z`);
  return reading.value;
}

function readSpeed({ by, text }: SourcedOption): number {
  const speed = Number(text);
  if (speed > 0 && speed <= MAX_SPEED) return speed;
  throw new BadArgument(`${by}: "${text}" is not a number above 0 and at most ${MAX_SPEED}`);
}
