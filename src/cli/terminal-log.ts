/** Log for people: one line per record, and below them the progress of long work. */
import { levels } from "pino";
import { ownJson } from "../core/text/own-json.ts";
import { printable } from "../core/text/printable.ts";

export interface TerminalLogOptions {
  readonly write: (text: string) => void;
  /** Returns the current width of the terminal in columns. */
  readonly columns: () => number;
  readonly colors: "none" | "ansi";
  /** Form of times: `10:42:07`, or `2026-11-21 10:42:07`, in the machine's time zone. */
  readonly times?: "clock" | "day and clock";
}

interface Progress {
  readonly known: number;
  readonly wanted: number;
  /** Text after the progress, such as the reason of a pause. */
  readonly note?: string;
}

interface LogRecord {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
  readonly [fact: string]: unknown;
}

const NAME_WIDTH = 5;
/** Lowest level whose name is in capital letters. */
const WARN = 40;
const ANSI: Readonly<Record<number, string>> = {
  20: "\u001b[2m",
  40: "\u001b[33m",
  50: "\u001b[31m",
  60: "\u001b[31m",
};
const ANSI_END = "\u001b[0m";
const CLEAR_LINE = "\r\u001b[K";
/** Longest fact in characters. Longer ones are cut here and complete in the JSON log. */
const MAX_FACT_LENGTH = 200;

export class TerminalLog {
  readonly #options: TerminalLogOptions;
  #progress = "";

  constructor(options: TerminalLogOptions) {
    this.#options = options;
  }

  /** Writes a line of the JSON log as text. Any other line is written unchanged. */
  write(line: string): void {
    const { write, colors, times = "clock" } = this.#options;
    const text = lineOf(line, colors === "ansi", times);
    write(`${this.#progress === "" ? "" : CLEAR_LINE}${text}\n${this.#progress}`);
  }

  progress(what: string, done: Progress | null): void {
    const { write, columns } = this.#options;
    const isOver = done === null || done.known >= done.wanted;
    const next = isOver ? "" : progressText(what, done, columns() - 1);
    if (next === this.#progress) return;
    write(`${CLEAR_LINE}${next}`);
    this.#progress = next;
  }
}

/** Returns the progress in at most `width` characters. */
function progressText(what: string, { known, wanted, note = "" }: Progress, width: number): string {
  const percent = Math.floor((100 * known) / wanted);
  return `${what} ${percent} % (${known} of ${wanted} days)${note}`.slice(0, Math.max(0, width));
}

function lineOf(line: string, colors: boolean, times: NonNullable<TerminalLogOptions["times"]>): string {
  const record = recordIn(line);
  if (!record) return line.trimEnd();
  const { level, time, msg = "", ...facts } = record;
  const at = new Date(time);
  const day = times === "clock" ? "" : `${at.toLocaleDateString("sv")} `;
  const clock = `${day}${at.toTimeString().slice(0, "10:42:07".length)}`;
  const texts = Object.entries(facts).map(([name, value]) => `${name}=${factText(value)}`);
  const name = levels.labels[level] ?? String(level);
  const label = level >= WARN ? name.toUpperCase() : name;
  const text = printable([clock, label.padEnd(NAME_WIDTH), msg, ...texts].join(" "));
  const color = colors ? ANSI[level] : undefined;
  return color === undefined ? text : `${color}${text}${ANSI_END}`;
}

function factText(value: unknown): string {
  const text = typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > MAX_FACT_LENGTH ? `${text.slice(0, MAX_FACT_LENGTH)}…` : text;
}

function recordIn(line: string): LogRecord | null {
  const record = ownJson(line);
  const isRecord = typeof record === "object" && record !== null && "level" in record && "time" in record;
  return isRecord ? (record as LogRecord) : null;
}
