/**
 * The plugs of the house: what they tell goes into the rules of `core/plug`, what those decide goes out by the row of
 * the family. It reads no clock: the root's loop looks when it was asked to, and whenever something was heard.
 */

import * as z from "zod/mini";
import { type PlugConfig, plugId } from "../config/plug-schema.ts";
import { plugFamilies } from "../core/plugs/families/families.ts";
import { onOff, type Reader } from "../core/plugs/families/payload-readers.ts";
import type { PlugAddress, PlugFamilyRow, PlugMessage } from "../core/plugs/families/plug-family.ts";
import { decide, type PlugDecision } from "../core/plugs/plug-controller.ts";
import { type PlugSnapshot, plugReasonText } from "../core/plugs/plug-snapshot.ts";
import {
  type PlugCommand,
  type PlugEvent,
  type PlugRules,
  type PlugState,
  unknownPlug,
  type Wanted,
} from "../core/plugs/plug-types.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { Problems } from "../core/status/problem.ts";
import { type EpochMs, MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";
import type { IncomingMessage } from "../mqtt/client/broker-session.ts";

export interface PlugManagerDeps {
  /** Without a slash at its end. */
  readonly baseTopic: string;
  readonly plugs: readonly PlugConfig[];
  /** Sends with QoS 1, not retained, and never later: false while there is no broker. */
  readonly publishOnce: (topic: string, payload: string) => boolean;
  /** What a plan or signal wants of a plug; null where it is unknown, which is OFF. */
  readonly wanted: (plug: PlugConfig, now: EpochMs) => Wanted | null;
  /** Whether the clock can be right. */
  readonly trusted: (now: EpochMs) => boolean;
  /** Remembers since when each plug is ON or OFF, for the minimum times. */
  readonly memory: KeyValue;
  readonly problems: Pick<Problems, "start" | "end">;
  readonly log: { info(facts: object, text: string): void };
  /** Something was heard: look again at once. */
  readonly wake: () => void;
  /** What is shown of the plugs changed. */
  readonly onChange: () => void;
}

/** The signal of a topic is awaited this long after connecting, so that a plug that stays ON is not switched twice. */
const SIGNAL_GRACE_MS = 2 * SECOND_MS;
/** Events that wait for the loop, for one plug. More is junk; what was heard first is forgotten. */
const MAX_WAITING = 64;
/** Looks at least this often: what is wanted may have changed without a word. */
const MAX_SLEEP_MS = 15 * MINUTE_MS;

export class PlugManager {
  readonly #deps: PlugManagerDeps;
  readonly #plugs: readonly Plug[];

  constructor(deps: PlugManagerDeps) {
    this.#deps = deps;
    this.#plugs = deps.plugs.map((config) => new Plug(config, deps));
  }

  /** Topics to subscribe to. */
  get subscriptions(): string[] {
    return [...new Set(this.#plugs.flatMap((plug) => plug.topics))];
  }

  /** Takes a message that came on one of the subscriptions. */
  onMessage(message: IncomingMessage): void {
    for (const plug of this.#plugs) plug.take(message);
    this.#deps.wake();
  }

  onUp(): void {
    for (const plug of this.#plugs) plug.isUp(true);
    this.#deps.wake();
  }

  onDown(): void {
    for (const plug of this.#plugs) plug.isUp(false);
    this.#deps.wake();
  }

  /** Does what is due. Returns when to look again. */
  tick(now: EpochMs): EpochMs {
    const before = JSON.stringify(this.snapshots());
    const wakes = this.#plugs.map((plug) => plug.look(now));
    if (JSON.stringify(this.snapshots()) !== before) this.#deps.onChange();
    return Math.min(now + MAX_SLEEP_MS, ...wakes);
  }

  /** The daemon ends: what it switched on and the device would not end by itself is switched off. */
  shutdown(): void {
    for (const plug of this.#plugs) plug.leave();
  }

  /** Each plug as it is; all of them from the start on, so that Home Assistant never loses one. */
  snapshots(): PlugSnapshot[] {
    return this.#plugs.map((plug) => plug.snapshot());
  }
}

class Plug {
  readonly #config: PlugConfig;
  readonly #id: string;
  readonly #deps: PlugManagerDeps;
  readonly #row: PlugFamilyRow;
  readonly #address: PlugAddress;
  readonly #rules: PlugRules;
  readonly #readers: Readonly<Record<string, Reader>>;
  #state: PlugState;
  #last: PlugDecision | null = null;
  #lastWanted: Wanted | null = null;
  /** Bounded by MAX_WAITING. */
  #waiting: PlugEvent[] = [];
  /** A line is new until the plug's signal has come on it, or is not waited for any longer. */
  #line: "down" | "new" | "up" = "down";
  #signal: boolean | null = null;
  #signalBy: EpochMs | null = null;
  #said: boolean | null = null;

  constructor(config: PlugConfig, deps: PlugManagerDeps) {
    const { family, topic = "", channel, on, off, override, min_on, min_off } = config;
    this.#config = config;
    this.#id = plugId(config);
    this.#deps = deps;
    this.#row = plugFamilies[family];
    this.#address = {
      topic,
      channel: String(channel ?? this.#row.channel.ordinary ?? ""),
      caller: `${deps.baseTopic}/plug/${this.#id}`,
      custom: on && off ? { ...config, on, off } : undefined,
    };
    this.#rules = {
      deadMan: this.#row.deadMan(this.#address),
      answers: this.#row.answers(this.#address),
      override,
      minOnMs: min_on * MINUTE_MS,
      minOffMs: min_off * MINUTE_MS,
    };
    this.#readers = this.#row.listens(this.#address);
    this.#state = unknownPlug(readJson(deps.memory, this.#memoryName, z.object({ on: z.boolean(), at: z.number() })));
  }

  get topics(): string[] {
    const { signal_topic: signalTopic } = this.#config;
    return [...Object.keys(this.#readers), ...(signalTopic === undefined ? [] : [signalTopic])];
  }

  /** The connection comes or goes; what was heard on the one before is of no use any more. */
  isUp(up: boolean): void {
    this.#waiting = [];
    this.#line = up ? "new" : "down";
    this.#signalBy = null;
  }

  take({ topic, payload, retained }: IncomingMessage): void {
    if (topic === this.#config.signal_topic) {
      this.#signal = onOff(payload);
      this.#signalBy = Number.NEGATIVE_INFINITY;
    }
    const heard = Object.hasOwn(this.#readers, topic) ? this.#readers[topic]?.(payload) : null;
    if (!heard) return;
    this.#waiting.push(heard.kind === "done" ? heard : { ...heard, retained });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  look(now: EpochMs): EpochMs {
    if (this.#line === "new" && this.#config.signal_topic !== undefined) this.#signalBy ??= now + SIGNAL_GRACE_MS;
    if (this.#line === "new" && now >= (this.#signalBy ?? now)) return this.#hear([{ kind: "connected" }], now);
    if (this.#line === "up") return this.#hear([], now);
    const decision = this.#decide({ kind: "disconnected" }, now);
    return Math.min(decision.wakeAt ?? Number.POSITIVE_INFINITY, this.#signalBy ?? Number.POSITIVE_INFINITY);
  }

  leave(): void {
    const { connected, sent, manualOverride } = this.#state;
    if (!connected || !sent?.on || this.#rules.deadMan !== null || manualOverride !== null) return;
    for (const { topic, payload } of this.#row.off(this.#address)) this.#deps.publishOnce(topic, payload);
  }

  snapshot(): PlugSnapshot {
    const { connected, available, reported, since, unresponsive } = this.#state;
    const { aim, reason: code } = this.#last ?? { aim: null, reason: "no_broker" };
    return {
      id: this.#id,
      name: this.#config.name,
      on: reported,
      wanted: aim,
      code,
      reason: plugReasonText(code, this.#lastWanted?.reason ?? null),
      available: connected ? (available ?? (reported === null ? null : true)) : false,
      silent: unresponsive,
      since: since && since.on === reported ? since.at : null,
    };
  }

  get #memoryName(): string {
    return `plug/${this.#id}`;
  }

  /** Decides on what came first, on everything that was heard, and once more on the present. */
  #hear(first: readonly PlugEvent[], now: EpochMs): EpochMs {
    this.#line = "up";
    for (const event of [...first, ...this.#waiting.splice(0)]) this.#decide(event, now);
    return this.#decide({ kind: "tick" }, now).wakeAt ?? Number.POSITIVE_INFINITY;
  }

  #decide(event: PlugEvent, now: EpochMs): PlugDecision {
    const deps = this.#deps;
    const before = this.#state;
    const wanted = this.#wantedAt(now);
    const trusted = deps.trusted(now);
    const decision = decide({ state: before, event, wanted, trusted, rules: this.#rules, now });
    for (const command of decision.commands) {
      for (const { topic, payload } of this.#say(command)) deps.publishOnce(topic, payload);
    }
    this.#state = decision.state;
    this.#last = decision;
    this.#lastWanted = wanted;
    this.#tell(before, decision, now);
    return decision;
  }

  #wantedAt(now: EpochMs): Wanted | null {
    const { signal_topic: signalTopic } = this.#config;
    if (signalTopic === undefined) return this.#deps.wanted(this.#config, now);
    return this.#signal === null
      ? null
      : { on: this.#signal, until: null, reason: `${signalTopic} says ${this.#signal ? "ON" : "OFF"}` };
  }

  #say(command: PlugCommand): PlugMessage[] {
    if (command.kind === "on") return this.#row.on(this.#address, command.deadManSec);
    return command.kind === "off" ? this.#row.off(this.#address) : this.#row.ask(this.#address);
  }

  /** Remembers, logs and raises what a decision changed. */
  #tell(before: PlugState, { state, aim, reason, commands }: PlugDecision, now: EpochMs): void {
    const id = this.#id;
    const { name } = this.#config;
    const hasMinimum = this.#rules.minOnMs > 0 || this.#rules.minOffMs > 0;
    if (hasMinimum && state.since && state.since !== before.since)
      this.#deps.memory.write(this.#memoryName, JSON.stringify(state.since));
    if (commands.length > 0 && aim !== this.#said) {
      this.#said = aim;
      this.#deps.log.info({ plug: id, on: aim, reason, why: this.#lastWanted?.reason }, "plug switched");
    }
    if (state.manualOverride !== null && before.manualOverride === null)
      this.#deps.log.info({ plug: id, on: state.manualOverride }, "plug switched by hand");
    if (state.unresponsive && !before.unresponsive) {
      this.#deps.problems.start({
        code: "plug_silent",
        subject: `plug ${id}`,
        since: now,
        names: { name },
        detail: `told ${state.sent?.on ? "ON" : "OFF"} four times without an answer; ${state.available === false ? "it is offline" : "it is told again each quarter of an hour"}`,
      });
    }
    if (!state.unresponsive && before.unresponsive) this.#deps.problems.end(`plug ${id}`);
  }
}
