/**
 * Smart plugs: passes their messages to the rules in `core/plugs`, and sends the commands of these rules in the form of
 * each plug's family.
 * Reads no clock: the loop calls `tick` when it is due, and after each message.
 */

import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { entryId } from "../config/entry-list.ts";
import { deviceOf, type PlugConfig } from "../config/plug-schema.ts";
import type { Language } from "../core/language/language.ts";
import { message, sayIn, type Text } from "../core/language/text.ts";
import type { WhenLost } from "../core/planning/model/plan-spec.ts";
import { plugFamilies } from "../core/plugs/families/families.ts";
import { onOff, type Reader } from "../core/plugs/families/payload-readers.ts";
import type { PlugAddress, PlugCommands, PlugFamilyRow, PlugMessage } from "../core/plugs/families/plug-family.ts";
import { decide, type PlugDecision, type PlugReason } from "../core/plugs/plug-controller.ts";
import { type PlugSnapshot, plugReasonText } from "../core/plugs/plug-snapshot.ts";
import {
  type PlugCommand,
  type PlugEvent,
  type PlugRules,
  type PlugState,
  TRIAL_MS,
  unknownPlug,
  type Wanted,
} from "../core/plugs/plug-types.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { Problems } from "../core/status/problem.ts";
import { type EpochMs, MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";
import type { IncomingMessage } from "../mqtt/client/broker-session.ts";
import { type HttpAccess, type HttpPlug, type PlugAnswer, POLL_MS } from "./http-plug.ts";

export interface PlugManagerDeps {
  /** Base topic without a trailing slash. */
  readonly baseTopic: string;
  readonly plugs: readonly PlugConfig[];
  /** Publishes with QoS 1, not retained, and never later. Returns false without a connection to the broker. */
  readonly publishOnce: (topic: string, payload: string) => boolean;
  /** Returns the state that a plan or signal wants of a plug; null if it is unknown. */
  readonly wanted: (plug: PlugConfig, now: EpochMs) => Wanted | null;
  /** Returns the state of a plug while nothing is known, and after elbro died. */
  readonly whenLost: (plug: PlugConfig) => WhenLost;
  /** Opens a plug with a `url`. `onAnswer` receives the answer to each message. */
  readonly openHttp: (access: HttpAccess, onAnswer: (answer: PlugAnswer) => void) => HttpPlug;
  /** Returns whether the clock is plausible. */
  readonly trusted: (now: EpochMs) => boolean;
  /** Stores since when each plug is ON or OFF, for the minimum times, and the certificates of plugs with https. */
  readonly memory: KeyValue;
  readonly problems: Pick<Problems, "start" | "end">;
  /** Language of the reasons; English by default. */
  readonly language?: Language;
  readonly log: { info(facts: object, text: string): void };
  /** Called after a message, so that the loop calls `tick` at once. */
  readonly wake: () => void;
  /** Called when the published state of the plugs has changed. */
  readonly onChange: () => void;
}

type HttpCommands = NonNullable<PlugFamilyRow["http"]>;
const knownCertificate = z.object({ url: z.string(), fingerprint: z.string() });
const keptSince = z.object({ on: z.boolean(), at: z.number() });

/** Time after connecting in which a signal topic is awaited, so that a plug that stays ON is not switched twice. */
const SIGNAL_GRACE_MS = 2 * SECOND_MS;
/** Maximum number of events of one plug that wait for the loop. The oldest is dropped. */
const MAX_WAITING = 64;
/** Maximum time between two ticks, because the wanted state may change without a message. */
const MAX_SLEEP_MS = 15 * MINUTE_MS;

interface ReplacedPlugs {
  readonly gone: readonly string[];
  readonly left: readonly string[];
  readonly topics: readonly string[];
}

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
  take(configs: readonly PlugConfig[], isUp: boolean): ReplacedPlugs {
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
      if (isUp) plug.isUp(true);
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
    this.#deps.onChange();
    const topicsOf = (plugs: Iterable<Plug>) => [...new Set([...plugs].flatMap(({ topics }) => topics))];
    return { gone: [...before.keys()], left: topicsOf(before.values()), topics: topicsOf(added) };
  }

  /** Topics to subscribe to. */
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

  /** Passes a message of a subscribed topic to the plugs. */
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

  /** Waits for the last commands over HTTP. */
  async close(): Promise<void> {
    await Promise.all([...this.#closing, ...this.#plugs.map((plug) => plug.close())]);
  }

  /** Returns the state of each plug. Complete from the start, so that Home Assistant never loses a plug. */
  snapshots(): PlugSnapshot[] {
    return this.#plugs.map((plug) => plug.snapshot());
  }
}

class Plug {
  readonly config: PlugConfig;
  readonly id: string;
  readonly #deps: PlugManagerDeps;
  readonly #row: PlugFamilyRow;
  readonly whenLost: WhenLost;
  readonly #commands: PlugCommands;
  readonly #http: HttpPlug | null;
  #address: PlugAddress;
  #rules: PlugRules;
  #readers: Readonly<Record<string, Reader>>;
  #askAt: EpochMs = 0;
  #state: PlugState;
  #last: PlugDecision | null = null;
  #lastWanted: Wanted | null = null;
  /** Events that wait for the loop. Bounded by MAX_WAITING. */
  #waiting: PlugEvent[] = [];
  /** A connection is `new` until the plug's signal has arrived on it, or is not awaited any longer. */
  #link: "down" | "new" | "up" = "down";
  #signal: boolean | null = null;
  #signalBy: EpochMs | null = null;
  #said: boolean | null = null;
  #trialUntil: EpochMs = Number.NEGATIVE_INFINITY;
  /** True if its bridge no longer has a device of its name. */
  #isGone = false;
  /** Reason why the device does not let elbro in; null while it does. */
  #refusal: Text | null = null;

  constructor(config: PlugConfig, deps: PlugManagerDeps) {
    const { family, topic = "", channel, on, off, url } = config;
    this.config = config;
    this.id = entryId(config);
    this.#deps = deps;
    this.#row = plugFamilies[family];
    this.whenLost = deps.whenLost(config);
    const { http } = this.#row;
    this.#commands = url !== undefined && http ? http : this.#row;
    this.#address = {
      topic,
      channel: String(channel ?? this.#row.channel.ordinary ?? ""),
      caller: `${deps.baseTopic}/plug/${this.id}`,
      custom: on && off ? { ...config, on, off } : undefined,
    };
    this.#rules = this.#rulesOf(this.#address);
    this.#readers = url === undefined ? this.#row.listens(this.#address) : {};
    const timerWorks = deps.memory.read(this.#timerMemory) === "works" ? true : null;
    this.#state = { ...unknownPlug(readJson(deps.memory, this.#memoryName, keptSince)), timerWorks };
    this.#http = url === undefined || !http ? null : this.#open(url, http);
    if (this.#http) this.#link = "new";
  }

  #open(url: string, { reads, login, refusal }: HttpCommands): HttpPlug {
    const { username = "admin", password } = this.config;
    const read = reads(this.#address);
    const certificate = () => this.#certificateAt(url);
    const access = { url, login, refusal, username, password, certificate };
    return this.#deps.openHttp(access, (answer) => this.#answered(answer, read));
  }

  /** Returns the fingerprint that the device must show; null at the first connection. */
  #certificateAt(url: string): string | null {
    const known = readJson(this.#deps.memory, this.#certificateMemory, knownCertificate);
    return this.config.certificate?.toUpperCase() ?? (known?.url === url ? known.fingerprint : null);
  }

  /** The device that it switches. */
  get device(): string {
    return deviceOf(this.config) ?? this.id;
  }

  get topics(): string[] {
    const { signal_topic: signalTopic } = this.config;
    const learns = Object.keys(this.#learns);
    return [...Object.keys(this.#readers), ...learns, ...(signalTopic === undefined ? [] : [signalTopic])];
  }

  get #learns() {
    return (this.#http === null && this.#row.learns?.(this.#address)) || {};
  }

  #rulesOf(address: PlugAddress): PlugRules {
    const { override, min_on, min_off } = this.config;
    const timers = this.#commands.deadMan(address);
    const whenLost = this.whenLost;
    return {
      whenLost,
      deadMan: whenLost === "keep" ? null : timers[this.#relay(whenLost === "off") ? "on" : "off"],
      isTimerUnsure: this.#commands.isTimerUnsure ?? false,
      answers: this.#commands.answers(address),
      override,
      minOnMs: min_on * MINUTE_MS,
      minOffMs: min_off * MINUTE_MS,
    };
  }

  /** Converts the appliance's state to that of its relay, and back. */
  #relay(on: boolean): boolean {
    return on !== this.config.inverted;
  }

  /** Handles the start or end of a broker connection. Events of the previous connection are dropped. */
  isUp(up: boolean): void {
    if (this.#http) return;
    this.#waiting = [];
    this.#link = up ? "new" : "down";
    this.#signalBy = null;
  }

  take({ topic, payload, retained }: IncomingMessage): void {
    if (topic === this.config.signal_topic) {
      this.#signal = onOff(payload);
      this.#signalBy = Number.NEGATIVE_INFINITY;
    }
    const learned = this.#learns[topic]?.(payload);
    if (learned && (learned === "gone") !== this.#isGone) {
      this.#isGone = learned === "gone";
      this.#push({ kind: "availability", available: !this.#isGone, retained: false });
    }
    if (learned && learned !== "gone" && JSON.stringify(learned) !== JSON.stringify(this.#address.learned)) {
      this.#address = { ...this.#address, learned };
      this.#rules = this.#rulesOf(this.#address);
      this.#readers = this.#row.listens(this.#address);
      this.#push({ kind: "connected" });
    }
    const heard = Object.hasOwn(this.#readers, topic) ? this.#readers[topic]?.(payload) : null;
    if (!heard) return;
    if (heard.kind === "bridge") this.#push(heard);
    else if (heard.kind === "availability") this.#push({ ...heard, retained });
    else {
      const on = this.#relay(heard.on);
      this.#push(heard.kind === "done" ? { kind: "done", on } : { kind: "reported", on, retained });
    }
  }

  #push(event: PlugEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** Handles a response over HTTP. A plug that answers again may have been without power. */
  #answered(answer: PlugAnswer, read: Reader): void {
    const { url = "" } = this.config;
    const body = answer.kind === "answered" ? answer.body : null;
    const available = body !== null;
    this.#refusal = refusalIn(answer);
    if (answer.kind === "answered" && answer.certificate !== null && this.#certificateAt(url) === null)
      this.#deps.memory.write(this.#certificateMemory, JSON.stringify({ url, fingerprint: answer.certificate }));
    if (available !== (this.#state.available ?? true)) this.#push({ kind: "availability", available, retained: false });
    const heard = body === null ? null : read(body);
    if (heard?.kind === "reported") this.#push({ kind: "reported", on: this.#relay(heard.on), retained: false });
    this.#deps.wake();
  }

  tick(now: EpochMs): EpochMs {
    if (this.#link === "new" && this.config.signal_topic !== undefined) this.#signalBy ??= now + SIGNAL_GRACE_MS;
    if (this.#link === "new" && now >= (this.#signalBy ?? now)) return this.#handle([{ kind: "connected" }], now);
    if (this.#link === "up") return Math.min(this.#handle([], now), this.#poll(now));
    const decision = this.#decide({ kind: "disconnected" }, now);
    return Math.min(decision.wakeAt ?? Number.POSITIVE_INFINITY, this.#signalBy ?? Number.POSITIVE_INFINITY);
  }

  shutdown(): void {
    if (this.whenLost === "on" || this.#rules.deadMan === null) this.release();
  }

  /** Switches the plug to its resting state, which also clears a timer that is stored in the device. */
  release(): void {
    const { connected, sent, manualOverride } = this.#state;
    const rest = this.whenLost === "on";
    if (this.whenLost === "keep" || !connected || !sent || manualOverride !== null) return;
    if (sent.on !== rest) this.#send({ kind: rest ? "on" : "off", deadManSec: null });
  }

  /** Switches the plug ON as `PlugManager.tryOut` does, but only if it rests OFF and is OFF now. */
  tryOut(now: EpochMs, language: Language = this.#deps.language ?? "en"): string | null {
    const { whenLost, deadMan } = this.#rules;
    const say = sayIn(language);
    if (whenLost !== "off") return say("plug_try_stays_on");
    if (deadMan === null) return say("plug_try_no_timer");
    if (this.#link !== "up" || this.#state.available === false) return say("plug_try_away");
    if (this.#state.unresponsive) return say("plug_try_silent");
    if (this.#state.reported === true || this.#last?.targetOn === true) return say("plug_try_is_on");
    this.#trialUntil = now + TRIAL_MS;
    const { targetOn, reason } = this.#decide({ kind: "tick" }, now);
    if (targetOn === true) return null;
    this.#trialUntil = Number.NEGATIVE_INFINITY;
    this.#decide({ kind: "tick" }, now);
    return this.#reasonText(reason, language);
  }

  #reasonText(code: PlugReason, language: Language = this.#deps.language ?? "en"): string {
    const because = this.#lastWanted?.reason ?? null;
    return plugReasonText(code, { because, whenLost: this.whenLost, language });
  }

  endProblems(): void {
    for (const subject of [`plug ${this.id}`, `access to plug ${this.id}`, `timer of plug ${this.id}`])
      this.#deps.problems.end(subject);
  }

  async close(): Promise<void> {
    await this.#http?.close();
  }

  /** Requests the state of a plug over HTTP. Returns when to request it again. */
  #poll(now: EpochMs): EpochMs {
    if (!this.#http) return Number.POSITIVE_INFINITY;
    if (now >= this.#askAt || this.#askAt > now + POLL_MS) {
      this.#askAt = now + POLL_MS;
      this.#send({ kind: "ask" });
    }
    return this.#askAt;
  }

  snapshot(): PlugSnapshot {
    const { connected, available, reported, since, unresponsive } = this.#state;
    const { targetOn, reason: code } = this.#last ?? { targetOn: null, reason: "no_broker" };
    return {
      id: this.id,
      name: this.config.name,
      on: reported,
      wanted: targetOn,
      code,
      reason: this.#reasonText(code),
      available: connected ? (available ?? (reported === null ? null : true)) : false,
      silent: unresponsive,
      since: since && since.on === reported ? since.at : null,
    };
  }

  get #memoryName(): string {
    return `plug/${this.id}`;
  }

  get #certificateMemory(): string {
    return `${this.#memoryName}/certificate`;
  }

  get #timerMemory(): string {
    return `${this.#memoryName}/timer`;
  }

  /** Passes `first`, all waiting events and a tick to the rules. Returns when to do so again. */
  #handle(first: readonly PlugEvent[], now: EpochMs): EpochMs {
    this.#link = "up";
    for (const event of [...first, ...this.#waiting.splice(0)]) this.#decide(event, now);
    return this.#decide({ kind: "tick" }, now).wakeAt ?? Number.POSITIVE_INFINITY;
  }

  #decide(event: PlugEvent, now: EpochMs): PlugDecision {
    const deps = this.#deps;
    const before = this.#state;
    const wanted = this.#wantedAt(now);
    const trusted = deps.trusted(now);
    const decision = decide({ state: before, event, wanted, trusted, rules: this.#rules, now });
    for (const command of decision.commands) this.#send(command);
    this.#state = decision.state;
    this.#last = decision;
    this.#lastWanted = wanted;
    this.#report(before, decision, now);
    return decision;
  }

  #wantedAt(now: EpochMs): Wanted | null {
    const { signal_topic: signalTopic } = this.config;
    const say = sayIn(this.#deps.language ?? "en");
    // Limited in both directions, so that a clock that is set back does not extend the trial.
    if (now < this.#trialUntil && now >= this.#trialUntil - TRIAL_MS)
      return { on: true, until: this.#trialUntil, reason: say("plug_is_tried"), isTrial: true };
    if (signalTopic === undefined) return this.#deps.wanted(this.config, now);
    if (this.#signal === null) return null;
    const reason = say("plug_topic_says", { topic: signalTopic, state: say(this.#signal ? "on" : "off") });
    return { on: this.#signal, until: null, reason };
  }

  #send(command: PlugCommand): void {
    for (const message of this.#messagesFor(command))
      if (this.#http) this.#http.send(message);
      else this.#deps.publishOnce(message.topic, message.payload);
  }

  #messagesFor(command: PlugCommand): PlugMessage[] {
    const commands = this.#commands;
    if (command.kind === "ask") return commands.ask(this.#address);
    if (command.kind === "clear_timer") return commands.clearTimer?.(this.#address) ?? [];
    return commands[this.#relay(command.kind === "on") ? "on" : "off"](this.#address, command.deadManSec);
  }

  /** Stores, logs and reports the changes of a decision. */
  #report(before: PlugState, { state, targetOn, reason, commands }: PlugDecision, now: EpochMs): void {
    const id = this.id;
    const { name } = this.config;
    const hasMinimum = this.#rules.minOnMs > 0 || this.#rules.minOffMs > 0;
    if (hasMinimum && state.since && state.since !== before.since)
      this.#deps.memory.write(this.#memoryName, JSON.stringify(state.since));
    if (targetOn !== null && commands.length > 0 && targetOn !== this.#said) {
      this.#said = targetOn;
      this.#deps.log.info(
        { plug: id, wanted: targetOn, reason, why: this.#lastWanted?.reason },
        "command sent to plug",
      );
    }
    if (state.manualOverride !== null && before.manualOverride === null)
      this.#deps.log.info({ plug: id, on: state.manualOverride }, "plug switched manually");
    this.#reportRefusal(now);
    if (state.unresponsive && !before.unresponsive && this.#refusal === null) {
      this.#deps.problems.start({
        code: "plug_silent",
        subject: `plug ${id}`,
        since: now,
        names: { name },
        detail: message(state.available === false ? "found_plug_offline" : "found_plug_silent", {
          state: message(state.sent?.on ? "on" : "off"),
        }),
      });
    }
    if (!state.unresponsive && before.unresponsive) this.#deps.problems.end(`plug ${id}`);
    this.#reportTimer(before, state, now);
  }

  /** Reports a device that answers over HTTP and does not let elbro in. */
  #reportRefusal(now: EpochMs): void {
    const subject = `access to plug ${this.id}`;
    const { problems } = this.#deps;
    const facts = { subject, since: now, names: { name: this.config.name } };
    if (this.#refusal === null) problems.end(subject);
    else problems.start({ code: "plug_refuses", ...facts, detail: this.#refusal });
  }

  /** Stores whether the timer was seen to work, and reports a plug without a working timer. */
  #reportTimer(before: PlugState, { timerWorks, timerMisfits }: PlugState, now: EpochMs): void {
    const { memory, problems } = this.#deps;
    if (this.#rules.isTimerUnsure && timerWorks !== before.timerWorks)
      memory.write(this.#timerMemory, timerWorks ? "works" : "none");
    const isMissing = this.#rules.isTimerUnsure && timerWorks !== true && memory.read(this.#timerMemory) === "none";
    const subject = `timer of plug ${this.id}`;
    const timed = message(this.whenLost === "on" ? "off" : "on");
    const failed = timerMisfits ? "found_timer_misfits" : "found_timer_failed";
    if (isMissing || (this.whenLost === "on" && this.#rules.deadMan === null))
      problems.start({
        ...{ code: "plug_without_timer", subject, since: now, names: { name: this.config.name, state: timed } },
        detail: message(isMissing ? failed : "found_timer_missing", { state: timed }),
      });
    else problems.end(subject);
  }
}

/** Returns the reason why a device does not let elbro in, for the owner; null if it does, or does not answer at all. */
function refusalIn(answer: PlugAnswer): Text | null {
  if (answer.kind === "login_needed") return message("found_login_needed");
  if (answer.kind === "login_refused") return message("found_login_refused");
  if (answer.kind === "redirected") return message("found_redirected", { url: answer.url });
  if (answer.kind === "other_certificate")
    return message("found_other_certificate", { fingerprint: answer.fingerprint });
  return null;
}
