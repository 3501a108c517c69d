/** Topics that the broker refuses, with the reasons, and the times at which they are tried again. */
import { type Text, textIn, message as translated } from "../../core/language/text.ts";
import type { BrokerSession, Unanswered } from "./broker-session.ts";
import { NOTHING_LISTENS } from "./connect-errors.ts";
import type { RetainedPublisher } from "./retained-publisher.ts";

/**
 * Waits before topics are tried again of which one ended a connection. A trial may end the connection again, and then the
 * broker publishes `offline` for a moment. A granted right is used after at most the longest wait, or after a restart.
 */
const TRIAL_MS = { first: 60_000, longest: 6 * 3_600_000 };
/** After this number of connections that ended before its answer, a command or subscription is left out, for up to an hour. */
const MAX_UNANSWERED = 3;
/** Maximum number of refused topics that are remembered. */
const MAX_REFUSED = 100;

export class RefusedTopics {
  readonly reasons = new Map<string, Text>();
  readonly #publisher: RetainedPublisher;
  readonly #log: { warn(facts: object, text: string): void };
  readonly #onChange: () => void;
  /** Connections that ended before the answer, by command topic or topic filter. Bounded by their number. */
  readonly #unanswered = new Map<string, number>();
  /** Connections in a row with a refused message. */
  #failedTrials = 0;
  #isTrialFailed = false;
  #trialTimer: NodeJS.Timeout | undefined;

  /** `onChange` is called when a topic is refused, or accepted again. */
  constructor(publisher: RetainedPublisher, log: { warn(facts: object, text: string): void }, onChange: () => void) {
    this.#publisher = publisher;
    this.#log = log;
    this.#onChange = onChange;
  }

  /** Returns true for a command or subscription of which several connections ended before the answer. */
  isLeftOut(topic: string): boolean {
    return (this.#unanswered.get(topic) ?? 0) >= MAX_UNANSWERED;
  }

  /** Attaches the publisher to a new connection, and tries refused topics again. */
  onUp(session: BrokerSession): void {
    // Everything is sent again, so other topics are refused again if they still are.
    for (const topic of this.reasons.keys())
      if (!this.#publisher.holdsBad(topic) && !this.isLeftOut(topic)) this.reasons.delete(topic);
    this.#publisher.attach(session);
    this.#isTrialFailed = false;
    this.#publisher.tryHeld(this.#failedTrials === 0 ? "all" : "unsuspicious");
    this.#scheduleTrial();
  }

  /** Finds the messages that ended a connection among those in flight. */
  onDown(reason: Text, { messages, others }: Unanswered): void {
    // A broker that was restarted may have other rights and limits.
    if (reason === NOTHING_LISTENS) this.#failedTrials = 0;
    const blamed = this.#publisher.detach(messages);
    if (blamed !== null) {
      this.#noteFailedTrial();
      this.#note(blamed, translated("mqtt.ended", { reason }));
    }
    clearTimeout(this.#trialTimer);
    for (const topic of new Set(others)) {
      this.#unanswered.set(topic, (this.#unanswered.get(topic) ?? 0) + 1);
      if (this.isLeftOut(topic)) this.#note(topic, translated("mqtt.ended", { reason }));
    }
  }

  onRefused(topic: string, why: Text): void {
    if (this.#publisher.holdsBad(topic)) this.#noteFailedTrial();
    this.#note(topic, why);
  }

  onAccepted(topic: string): void {
    this.#unanswered.delete(topic);
    if (!this.reasons.delete(topic)) return;
    this.#failedTrials = 0;
    this.#onChange();
  }

  /** Lets commands and subscriptions that were left out be tried again. */
  age(): void {
    this.#unanswered.clear();
  }

  stop(): void {
    clearTimeout(this.#trialTimer);
  }

  #note(topic: string, reason: Text): void {
    if (!this.reasons.has(topic)) this.#log.warn({ topic, reason: textIn("en", reason) }, "the broker rejects a topic");
    if (this.reasons.size < MAX_REFUSED) this.reasons.set(topic, reason);
    this.#onChange();
  }

  #noteFailedTrial(): void {
    if (!this.#isTrialFailed) this.#failedTrials++;
    this.#isTrialFailed = true;
    this.#scheduleTrial();
  }

  #scheduleTrial(): void {
    clearTimeout(this.#trialTimer);
    if (this.#failedTrials === 0) return;
    const waitMs = Math.min(TRIAL_MS.first * 2 ** (this.#failedTrials - 1), TRIAL_MS.longest);
    this.#trialTimer = setTimeout(() => {
      this.#isTrialFailed = false;
      this.#publisher.tryHeld("all");
    }, waitMs).unref();
  }
}
