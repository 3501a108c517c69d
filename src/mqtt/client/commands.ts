/**
 * Commands of the house: a table from topics to what they do. A command is done once, when it is said; what cannot be
 * done is logged, answered on the response topic, and changes nothing.
 */
import type { IncomingMessage } from "./broker-session.ts";

/** What became of a command. */
export type CommandResult =
  | { readonly kind: "done" }
  /** It is for another daemon on this broker, which answers. */
  | { readonly kind: "ignored" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Does a command. `levels` are the topic's levels at the `+` of its pattern, in order.
 * Errors: none; what cannot be done comes back as `refused`, with a reason in words for the sender.
 */
export type Command = (levels: readonly string[], payload: string) => CommandResult | Promise<CommandResult>;

/** By topic below the base topic, with `+` for any one level: `command/refresh`, `+/plan/+/+/set`. */
export type CommandTable = Readonly<Record<string, Command>>;

export interface CommandsOptions {
  /** Without a slash at its end. */
  readonly baseTopic: string;
  readonly table: CommandTable;
  /** Answers on the response topic, not retained. */
  readonly answer: (topic: string, payload: string) => void;
  readonly onRefused: (topic: string, reason: string) => void;
}

/** The longest payload that is looked at; every command is a few words. */
const MAX_PAYLOAD_LENGTH = 1_024;
/** How much of a topic an answer and a log line repeat. */
const MAX_TOPIC_SHOWN_LENGTH = 200;

export class Commands {
  readonly #options: CommandsOptions;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /** Topic filters to subscribe to. */
  subscriptions(): string[] {
    return Object.keys(this.#options.table).map((pattern) => `${this.#options.baseTopic}/${pattern}`);
  }

  /**
   * Does what a message commands. Returns whether it is a command at all. A retained one is not done: it would be
   * done again at every connection.
   */
  async take({ topic, payload, retained }: IncomingMessage): Promise<boolean> {
    const { baseTopic, table, answer, onRefused } = this.#options;
    if (!topic.startsWith(`${baseTopic}/`)) return false;
    const below = topic.slice(baseTopic.length + 1);
    for (const [pattern, command] of Object.entries(table)) {
      const levels = levelsAt(pattern, below);
      if (!levels) continue;
      if (retained) return true;
      const result = await carryOut(command, levels, payload);
      if (result.kind === "ignored") return true;
      const reason = result.kind === "refused" ? result.reason : null;
      const shown = topic.slice(0, MAX_TOPIC_SHOWN_LENGTH);
      if (reason !== null) onRefused(shown, reason);
      answer(`${baseTopic}/response`, JSON.stringify({ topic: shown, ok: reason === null, reason }));
      return true;
    }
    return false;
  }
}

function carryOut(command: Command, levels: readonly string[], payload: string): ReturnType<Command> {
  if (payload.length > MAX_PAYLOAD_LENGTH)
    return {
      kind: "refused",
      reason: `the payload has ${payload.length} characters; expected at most ${MAX_PAYLOAD_LENGTH}`,
    };
  return command(levels, payload);
}

/** What stands at the wildcards of a pattern; null where the topic does not fit. */
function levelsAt(pattern: string, topic: string): string[] | null {
  const expected = pattern.split("/");
  const found = topic.split("/");
  if (expected.length !== found.length) return null;
  const fits = expected.every((level, i) => level === "+" || level === found[i]);
  return fits ? found.filter((_, i) => expected[i] === "+") : null;
}
