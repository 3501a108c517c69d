/** Topics that report the charge of batteries, and the plans that use it. */
import type { EpochMs } from "../core/time/interval.ts";
import type { Plans } from "../plans/plans.ts";
import type { IncomingMessage } from "./client/broker-session.ts";
import type { MqttClient, MqttListener } from "./client/mqtt-client.ts";

interface BatteryTopicsDeps {
  readonly client: Pick<MqttClient, "subscribe" | "unsubscribe">;
  readonly plans: Pick<Plans, "chargeTopics" | "chargeIs" | "circles">;
  readonly now: () => EpochMs;
}

export class BatteryTopics implements MqttListener {
  readonly #deps: BatteryTopicsDeps;
  subscriptions: readonly string[];
  #circles: Plans["circles"];

  constructor(deps: BatteryTopicsDeps) {
    this.#deps = deps;
    this.subscriptions = deps.plans.chargeTopics;
    this.#circles = deps.plans.circles;
  }

  /** Follows the topics of the current plans. */
  update(): void {
    const { client, plans } = this.#deps;
    // The set is another one after the plans were replaced.
    if (this.#circles === plans.circles) return;
    this.#circles = plans.circles;
    const before = this.subscriptions;
    this.subscriptions = plans.chargeTopics;
    client.unsubscribe(before.filter((topic) => !this.subscriptions.includes(topic)));
    client.subscribe(this.subscriptions.filter((topic) => !before.includes(topic)));
  }

  onMessage(message: IncomingMessage): void {
    const { plans, now } = this.#deps;
    if (this.subscriptions.includes(message.topic)) plans.chargeIs(message, now());
  }
}
