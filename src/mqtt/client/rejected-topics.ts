/**
 * Topics that the broker rejects, with the reasons. A broker of MQTT 5 answers with a reason, and the others are
 * published. A broker that ends the connection instead names no topic: after several short connections, the oldest topic
 * without an answer is left out, until it is accepted when it is sent alone.
 */
import { type Text, textIn, message as translated } from "../../core/language/text.ts";
import type { SessionEnd } from "./broker-session.ts";
import { NOTHING_LISTENS } from "./connect-errors.ts";
import type { RetainedPublisher } from "./retained-publisher.ts";

/**
 * Waits of a connection before topics that are left out are tried again. A trial may end the connection, and then the
 * broker publishes `offline` for a moment. A granted right is used after at most the longest wait, or after a restart.
 */
const TRIAL_MS = { first: 60_000, longest: 6 * 3_600_000 };
/** Maximum number of rejected topics that are remembered, and of those that are left out. */
const MAX_REJECTED = 100;

export class RejectedTopics {
  readonly reasons = new Map<string, Text>();
  readonly #publisher: RetainedPublisher;
  readonly #log: { warn(facts: object, text: string): void };
  readonly #onChange: () => void;
  /** Topics, commands and topic filters that are not sent, oldest first. */
  readonly #leftOut = new Set<string>();
  /** The one that is sent alone now. */
  #trial: string | null = null;
  #failedTrials = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` is called when a topic is rejected, or accepted again. */
  constructor(publisher: RetainedPublisher, log: { warn(facts: object, text: string): void }, onChange: () => void) {
    this.#publisher = publisher;
    this.#log = log;
    this.#onChange = onChange;
  }

  isLeftOut(topic: string): boolean {
    return this.#leftOut.has(topic);
  }

  /** Everything is sent again, so other topics are rejected again if they still are. */
  onUp(): void {
    for (const topic of this.reasons.keys()) if (!this.#leftOut.has(topic)) this.reasons.delete(topic);
    const waitMs = Math.min(TRIAL_MS.first * 2 ** this.#failedTrials, TRIAL_MS.longest);
    this.#timer = setTimeout(() => this.#tryNext(), waitMs).unref();
  }

  onDown({ reason, unanswered, isSuspicious }: SessionEnd): void {
    clearTimeout(this.#timer);
    if (this.#trial !== null) {
      this.#failedTrials++;
      // The others are tried first.
      this.#leftOut.delete(this.#trial);
      this.#leftOut.add(this.#trial);
      this.#trial = null;
    }
    if (isSuspicious && unanswered !== null && this.#leftOut.size < MAX_REJECTED) {
      this.#leftOut.add(unanswered);
      this.onRejected(unanswered, translated("mqtt.ended", { reason }));
    }
    // A broker that was restarted may have other rights and limits.
    if (reason !== NOTHING_LISTENS) return;
    this.#leftOut.clear();
    this.#failedTrials = 0;
  }

  onRejected(topic: string, reason: Text): void {
    this.#endTrialOf(topic);
    if (!this.reasons.has(topic)) this.#log.warn({ topic, reason: textIn("en", reason) }, "the broker rejects a topic");
    if (this.reasons.size < MAX_REJECTED) this.reasons.set(topic, reason);
    this.#onChange();
  }

  onAccepted(topic: string): void {
    this.#endTrialOf(topic);
    if (this.reasons.delete(topic)) this.#onChange();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The broker has answered and stays connected. */
  #endTrialOf(topic: string): void {
    if (this.#trial !== topic) return;
    this.#trial = null;
    this.#failedTrials = 0;
    this.#leftOut.delete(topic);
    this.#tryNext();
  }

  /** Sends the oldest topic that is left out alone. */
  #tryNext(): void {
    for (const topic of this.#leftOut) {
      this.#trial = topic;
      if (this.#publisher.tryAlone(topic)) return;
      // A command or a filter is tried by the next command or connection.
      this.#trial = null;
      this.#leftOut.delete(topic);
      this.reasons.delete(topic);
    }
  }
}
