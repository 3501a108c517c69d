/** Smart plugs of the configuration: passes them messages and replaces them. The loop calls `tick` when it is due. */

import { isDeepStrictEqual } from "node:util";
import { entryId } from "../config/entry-list.ts";
import type { PlugConfig } from "../config/schema/plug-schema.ts";
import type { Language } from "../core/language/language.ts";
import type { PlugSnapshot } from "../core/plugs/plug-snapshot.ts";
import { type EpochMs, MINUTE_MS } from "../core/time/interval.ts";
import type { IncomingMessage } from "../mqtt/client/broker-session.ts";
import { Plug, type PlugDeps } from "./plug.ts";

export interface PlugManagerDeps extends PlugDeps {
  readonly plugs: readonly PlugConfig[];
  /** Called when the published state of the plugs has changed. */
  readonly onChange: () => void;
}

/** Maximum time between two ticks, because the wanted state may change without a message. */
const MAX_SLEEP_MS = 15 * MINUTE_MS;

export class PlugManager {
  readonly #deps: PlugManagerDeps;
  #plugs: readonly Plug[];
  /** Pending last commands of removed plugs. Bounded by the plugs. */
  readonly #closing = new Set<Promise<void>>();

  constructor(deps: PlugManagerDeps) {
    this.#deps = deps;
    this.#plugs = deps.plugs.map((config) => new Plug(config, deps));
  }

  /**
   * Replaces the configured plugs; unchanged ones continue.
   * Switches a removed plug to its resting state, unless another plug now has its device.
   * Returns the ids and topics of removed plugs, and the topics of new ones, whose retained messages were sent before.
   */
  configure(configs: readonly PlugConfig[], isUp: boolean) {
    const before = new Map(this.#plugs.map((plug) => [plug.id, plug]));
    const added: Plug[] = [];
    this.#plugs = configs.map((config) => {
      const known = before.get(entryId(config));
      const isSame = known?.whenLost === this.#deps.whenLost(config) && isDeepStrictEqual(known.config, config);
      if (known && isSame) {
        before.delete(known.id);
        return known;
      }
      const plug = new Plug(config, this.#deps);
      if (isUp) plug.isBrokerUp(true);
      added.push(plug);
      return plug;
    });
    const devices = new Set(added.map(({ device }) => device));
    for (const plug of before.values()) {
      if (!devices.has(plug.device)) plug.release();
      plug.endProblems();
      const closed: Promise<void> = plug.close().finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
    for (const plug of this.#plugs) plug.tellMachine();
    this.#deps.onChange();
    const topicsOf = (plugs: Iterable<Plug>) => [...new Set([...plugs].flatMap(({ topics }) => topics))];
    return { gone: [...before.keys()], left: topicsOf(before.values()), topics: topicsOf(added) };
  }

  get subscriptions(): string[] {
    return [...new Set(this.#plugs.flatMap((plug) => plug.topics))];
  }

  /** Switches a plug ON for `TRIAL_MS`. Returns the reason if it does not; null if the command was sent. */
  tryOut(id: string, now: EpochMs, language?: Language): string | null {
    const refused = this.#plugs.find((plug) => plug.id === id)?.tryOut(now, language) ?? null;
    this.#deps.onChange();
    this.#deps.wake();
    return refused;
  }

  onMessage(message: IncomingMessage): void {
    for (const plug of this.#plugs) plug.take(message);
    this.#deps.wake();
  }

  onUp(): void {
    for (const plug of this.#plugs) plug.isBrokerUp(true);
    this.#deps.wake();
  }

  onDown(): void {
    for (const plug of this.#plugs) plug.isBrokerUp(false);
    this.#deps.wake();
  }

  /** Sends the commands that are due. Returns when to call it again. */
  tick(now: EpochMs): EpochMs {
    const before = JSON.stringify(this.snapshots());
    const wakes = this.#plugs.map((plug) => plug.tick(now));
    if (JSON.stringify(this.snapshots()) !== before) this.#deps.onChange();
    return Math.min(now + MAX_SLEEP_MS, ...wakes);
  }

  /** Switches plugs to their resting state before the daemon ends, unless the device does so by itself. */
  shutdown(): void {
    for (const plug of this.#plugs) plug.shutdown();
  }

  /** Waits for the last commands of plugs without a broker. */
  async close(): Promise<void> {
    await Promise.all([...this.#closing, ...this.#plugs.map((plug) => plug.close())]);
  }

  /** Returns the state of each plug. Complete from the start, so that Home Assistant never loses a plug. */
  snapshots(): PlugSnapshot[] {
    return this.#plugs.map((plug) => plug.snapshot());
  }
}
