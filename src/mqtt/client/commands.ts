/**
 * MQTT commands: a table from topic patterns to functions. Each command runs once, on receipt.
 * A refused command changes nothing; it is logged and answered on the response topic.
 */
import { message, type Text, textIn } from "../../core/language/text.ts";
import type { IncomingMessage } from "./broker-session.ts";

/** Result of a command. */
export type CommandResult =
  | { readonly kind: "done" }
  /** The command is for another daemon on this broker, which answers it. */
  | { readonly kind: "ignored" }
  | { readonly kind: "refused"; readonly reason: Text };

/**
 * Executes a command. `levels` holds the topic's levels at the `+` wildcards of its pattern, in order.
 * Does not throw: returns `refused` with a reason for the sender.
 */
export type CommandHandler = (levels: readonly string[], payload: string) => CommandResult | Promise<CommandResult>;

/** Commands by topic pattern below the base topic. `+` matches one level: `command/refresh`, `+/plan/+/+/set`. */
export type CommandTable = Readonly<Record<string, CommandHandler>>;

export interface CommandsOptions {
  /** Base topic without a trailing slash. */
  readonly baseTopic: string;
  readonly table: CommandTable;
  /** Publishes on the response topic, not retained. */
  readonly answer: (topic: string, payload: string) => void;
  readonly onRefused: (topic: string, reason: Text) => void;
}

/** Longest accepted payload in characters; commands are a few words. */
const MAX_PAYLOAD_LENGTH = 1_024;
/** Maximum length of a topic in responses and log lines. */
const MAX_TOPIC_SHOWN_LENGTH = 200;

export class Commands {
  readonly #options: CommandsOptions;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /** Returns the topic filters to subscribe to. */
  subscriptions(): string[] {
    return Object.keys(this.#options.table).map((pattern) => `${this.#options.baseTopic}/${pattern}`);
  }

  /**
   * Executes the command of a message. Returns whether the topic is a command.
   * Ignores retained commands: the broker would send them again at every connection.
   */
  async take({ topic, payload, retained }: IncomingMessage): Promise<boolean> {
    const { baseTopic, table, answer, onRefused } = this.#options;
    if (!topic.startsWith(`${baseTopic}/`)) return false;
    const below = topic.slice(baseTopic.length + 1);
    for (const [pattern, command] of Object.entries(table)) {
      const levels = levelsAt(pattern, below);
      if (!levels) continue;
      if (retained) return true;
      const { length } = payload;
      const long = { kind: "refused", reason: message("refused.long", { length, most: MAX_PAYLOAD_LENGTH }) } as const;
      const result = length > MAX_PAYLOAD_LENGTH ? long : await command(levels, payload);
      if (result.kind === "ignored") return true;
      const reason = result.kind === "refused" ? result.reason : null;
      const shortTopic = topic.slice(0, MAX_TOPIC_SHOWN_LENGTH);
      if (reason !== null) onRefused(shortTopic, reason);
      const text = reason && textIn("en", reason);
      const said = typeof reason === "object" ? reason : null;
      const response = { topic: shortTopic, ok: reason === null, reason: text, ...said };
      answer(`${baseTopic}/response`, JSON.stringify(response));
      return true;
    }
    return false;
  }
}

/** Returns the levels of a topic at the `+` of a topic filter; null if it does not match (MQTT 5, 4.7). */
export function levelsAt(filter: string, topic: string): string[] | null {
  const expected = filter.split("/");
  const found = topic.split("/");
  const takesAll = expected.at(-1) === "#";
  const fixed = takesAll ? expected.slice(0, -1) : expected;
  if (takesAll ? found.length < fixed.length : found.length !== fixed.length) return null;
  const fits = fixed.every((level, i) => level === "+" || level === found[i]);
  return fits ? found.filter((_, i) => fixed[i] === "+") : null;
}
