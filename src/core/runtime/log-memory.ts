/** Last lines of the log, kept in memory to be shown to the owner. */
import type { EpochMs } from "../time/interval.ts";

export const logLevels = ["debug", "info", "warn"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogEntry {
  /** Increases by 1 from 1. */
  readonly id: number;
  readonly at: EpochMs;
  readonly level: LogLevel;
  readonly text: string;
  /** Facts of the line as JSON. */
  readonly facts: string;
}

export type RecordedLog = Readonly<Record<LogLevel, (facts: object, text: string) => void>> & {
  /** Minimum level of the log, as in pino. */
  readonly level?: string;
};

/** Maximum lines. A usual day has about 30 lines of about 200 bytes. */
const MAX_LINES = 500;
const MAX_FACTS_LENGTH = 1_000;

export class LogMemory {
  /** Distinguishes the ids of this start from those of earlier starts. */
  readonly startedAt: EpochMs;
  readonly #now: () => EpochMs;
  /** Shape: ascending. Bounded by MAX_LINES. */
  #lines: LogEntry[] = [];
  #count = 0;

  constructor(now: () => EpochMs) {
    this.#now = now;
    this.startedAt = now();
  }

  /** Returns a log that forwards to `log` and keeps the lines here; `debug` only if `log` writes it. */
  recording(log: RecordedLog): RecordedLog {
    const to = (level: LogLevel) => (facts: object, text: string) => {
      if (level !== "debug" || log.level === "debug") this.#keep(level, facts, text);
      log[level](facts, text);
    };
    return { debug: to("debug"), info: to("info"), warn: to("warn") };
  }

  /** Returns the last `most` lines of at least `level` with an id above `after`. Shape: ascending. */
  list(level: LogLevel, after: number, most: number): LogEntry[] {
    const least = logLevels.indexOf(level);
    return this.#lines.filter((line) => line.id > after && logLevels.indexOf(line.level) >= least).slice(-most);
  }

  #keep(level: LogLevel, facts: object, text: string): void {
    this.#lines.push({ id: ++this.#count, at: this.#now(), level, text, facts: factsText(facts) });
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }
}

/** Returns the facts as JSON text; an error appears as its message. */
function factsText(facts: object): string {
  const text = JSON.stringify(facts, (_name, value: unknown) => (value instanceof Error ? value.message : value)) ?? "";
  const details = text === "{}" ? "" : text;
  return details.length > MAX_FACTS_LENGTH ? `${details.slice(0, MAX_FACTS_LENGTH)}…` : details;
}
