/** Publishes each part of the state when it changes, at the latest at the next interval boundary. */

import { setTimeout as pause, setImmediate } from "node:timers/promises";
import type { Clock } from "../core/runtime/clock.ts";
import type { BackfillState } from "../core/status/daemon-status.ts";
import { keepingPromises } from "../core/status/kept-promise.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import { Listeners } from "../state/change-bus.ts";
import { DueLoop } from "../state/due-loop.ts";
import { BrokerWatch } from "./broker-watch.ts";
import type { RetainedMessage } from "./client/message.ts";
import type { MqttClient } from "./client/mqtt-client.ts";
import { DAEMON, PLACES, PLUGS, partOfPlans } from "./parts.ts";
import type { StatePublisher } from "./state-publisher.ts";

/** Maximum time for the broker to take urgent messages before others are made. Unit: event-loop turns of 1 ms. */
const MAX_SEND_TURNS = 50;

export interface PublicationOptions {
  readonly clock: Clock;
  /** Called when the daemon's own state is published, with the progress of the back-fill. */
  readonly onProgress?: (history: BackfillState | null) => void;
  /** Fires when the daemon stops. */
  readonly signal: AbortSignal;
}

export interface PublicationDeps {
  readonly state: PlannedState;
  readonly showing: StatePublisher;
  readonly client: MqttClient;
}

/** Messages of a published part, or the names of all parts from now on. */
export type PublishedChange =
  | { readonly part: string; readonly messages: readonly RetainedMessage[] }
  | { readonly kept: ReadonlySet<string> };

export class Publication {
  readonly published = new Listeners<PublishedChange>();
  readonly loop: DueLoop;
  readonly #options: PublicationOptions;
  readonly #deps: PublicationDeps;
  readonly #watch: BrokerWatch;
  #known: readonly unknown[] = [];
  #parts: ReadonlySet<string> = new Set();
  #isDaemonShown = false;

  /** Publishes the price of the first home at once. Those of the others follow when the loop runs. */
  constructor(options: PublicationOptions, deps: PublicationDeps) {
    const { state, client } = deps;
    this.#options = options;
    this.#deps = deps;
    this.#watch = new BrokerWatch(state.problems);
    const [firstHome = ""] = state.homes.ids;
    this.#publishFirst(firstHome, state.startedAt);
    this.loop = new DueLoop({
      clock: options.clock,
      items: () => this.#currentParts(),
      first: (part, now) => this.#publishFirst(part, now),
      between: state.decided,
      slices: { nextTurn: () => this.#sent() },
      work: (part, now) => this.#work(part, now),
      kept: (parts) => this.#keepOnly(parts),
      finish: (now) => this.#finish(now),
      trust: state.isTimeTrusted,
      heartbeat: state.stats.heartbeat("showing", options.signal),
    });
    const wake = () => this.loop.wake();
    client.addListener({ subscriptions: [], onUp: wake, onDown: wake, onRefused: wake });
  }

  #publishFirst(part: string, now: EpochMs): void {
    const messages = this.#deps.showing.urgent(part, now);
    if (messages.length > 0) this.#deps.client.retained.showFirst(messages, part);
  }

  /** Lets other work run, and the broker take the urgent messages. */
  async #sent(): Promise<void> {
    const { retained } = this.#deps.client;
    await setImmediate();
    for (let turn = 0; turn < MAX_SEND_TURNS && retained.hasUrgent; turn++) await pause(1);
  }

  /** Returns the same set as long as homes and plans do not change. */
  #currentParts(): ReadonlySet<string> {
    const { homes, plans } = this.#deps.state;
    const present = [homes.ids, plans.circles];
    if (present.some((each, i) => each !== this.#known[i])) {
      this.#known = present;
      this.#parts = new Set([...homes.ids, PLACES, ...[...plans.circles].map(partOfPlans), PLUGS]);
    }
    return this.#parts;
  }

  #work(part: string, now: EpochMs): EpochMs {
    const { showing, client, state } = this.#deps;
    const run = () => {
      const { messages, events, until } = showing.part(part, now);
      this.#publish(part, messages);
      for (const { topic, payload } of events) client.sendCommand(topic, payload);
      return until;
    };
    // A part without messages has no topics.
    const safe = () => {
      this.#publish(part, []);
      return Number.POSITIVE_INFINITY;
    };
    return keepingPromises(state.problems, { of: `topics ${part}`, now, run, safe });
  }

  #publish(part: string, messages: readonly RetainedMessage[]): void {
    this.#deps.client.retained.show(messages, part);
    this.published.emit({ part, messages });
  }

  async #keepOnly(parts: ReadonlySet<string>): Promise<void> {
    if (!this.#isDaemonShown) await this.#publishDaemon(this.#options.clock.now());
    const kept = new Set([...parts, DAEMON]);
    this.#deps.client.retained.keepParts(kept);
    this.published.emit({ kept });
  }

  async #finish(now: EpochMs): Promise<EpochMs> {
    const { state, client } = this.#deps;
    const clockAt = state.checkClock(now);
    state.checkMachine(now);
    const checkAt = this.#watch.check(client.status(), now, this.#options.clock.monotonicMs());
    await this.#publishDaemon(now);
    return Math.min(clockAt, checkAt);
  }

  async #publishDaemon(now: EpochMs): Promise<void> {
    const { state, showing } = this.#deps;
    const daemon = await state.daemonState(now);
    this.#isDaemonShown = true;
    this.#publish(DAEMON, showing.daemon(daemon));
    this.#options.onProgress?.(daemon.backfill);
  }
}
