/** One smart plug: passes its messages to the rules in `core/plugs`, and sends their commands as its family does. */
import * as z from "zod/mini";
import { entryId } from "../config/entry-list.ts";
import { deviceOf, type PlugConfig, plugAddressOf } from "../config/schema/plug-schema.ts";
import type { Language } from "../core/language/language.ts";
import { message, sayIn, type Text } from "../core/language/text.ts";
import type { WhenLost } from "../core/planning/model/plan-spec.ts";
import { plugFamilies } from "../core/plugs/families/families.ts";
import { type MeterReader, topicMeters } from "../core/plugs/families/meter-readers.ts";
import { type Reader, textState } from "../core/plugs/families/payload-readers.ts";
import { expressionsIn } from "../core/plugs/families/payload-values.ts";
import type {
  GonePlug,
  LearnedPlug,
  PlugAddress,
  PlugCommands,
  PlugFamilyRow,
  PlugMessage,
} from "../core/plugs/families/plug-family.ts";
import type { Measured } from "../core/plugs/meter.ts";
import { checkCommand, decide, type PlugDecision, type PlugReason } from "../core/plugs/plug-controller.ts";
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
import { readJson } from "../core/runtime/key-value.ts";
import { keepingPromises } from "../core/status/kept-promise.ts";
import { type EpochMs, MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";
import type { IncomingMessage } from "../mqtt/client/broker-session.ts";
import type { PlugTransport } from "./plug-connection.ts";
import { PlugMachine, type PlugMachineDeps } from "./plug-machine.ts";
import { PlugMeter, type PlugMeterDeps } from "./plug-meter.ts";
import { PlugReport, type PlugReportDeps } from "./plug-report.ts";
import { HTTP_TOPIC, openPlugTransport, type TransportDeps } from "./plug-transport.ts";

export interface PlugDeps extends TransportDeps, PlugReportDeps, PlugMeterDeps, PlugMachineDeps {
  /** Base topic without a trailing slash. */
  readonly baseTopic: string;
  /** Returns the state that a plan or signal wants of a plug; null if it is unknown. */
  readonly wanted: (plug: PlugConfig, now: EpochMs) => Wanted | null;
  /** Returns true while the plans of a plug are being decided. The loop is woken after that. */
  readonly isDeciding?: (plug: PlugConfig, now: EpochMs) => boolean;
  /** Returns the state of a plug while nothing is known, and after elbro died. */
  readonly whenLost: (plug: PlugConfig) => WhenLost;
  /** Returns whether the clock is plausible. */
  readonly trusted: (now: EpochMs) => boolean;
  /** Language of the reasons; English by default. */
  readonly language?: Language;
  /** Called after a message, so that the loop calls `tick` at once. */
  readonly wake: () => void;
}

const keptSince = z.object({ on: z.boolean(), at: z.number() });

/** Time after connecting in which a signal topic is awaited, so that a plug that stays ON is not switched twice. */
const SIGNAL_GRACE_MS = 2 * SECOND_MS;
/** Below this power a plug has no load. Unit: W. */
const IDLE_WATTS = 1;
/** Maximum number of events of one plug that wait for the loop. The oldest is dropped. */
const MAX_WAITING = 64;

export class Plug {
  readonly config: PlugConfig;
  readonly id: string;
  readonly whenLost: WhenLost;
  readonly #deps: PlugDeps;
  readonly #row: PlugFamilyRow;
  readonly #commands: PlugCommands;
  readonly #transport: PlugTransport;
  readonly #report: PlugReport;
  readonly #meter: PlugMeter;
  readonly #machine: PlugMachine;
  #address: PlugAddress;
  #rules: PlugRules;
  #readers: Readonly<Record<string, Reader>>;
  #meters: Readonly<Record<string, MeterReader>>;
  /** Measurements that wait for the loop. Bounded by MAX_WAITING. */
  #measured: Measured[] = [];
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
  #trialUntil: EpochMs = Number.NEGATIVE_INFINITY;
  /** Reasons why elbro cannot use the device, the first one first; null for those that do not apply. */
  readonly #refusals: Partial<Record<"expression" | "gone" | "access" | "unclear", Text | null>> = {};

  constructor(config: PlugConfig, deps: PlugDeps) {
    const { family, url } = config;
    this.config = config;
    this.id = entryId(config);
    this.#deps = deps;
    this.#row = plugFamilies[family];
    this.whenLost = deps.whenLost(config);
    const unread = expressionsIn(config).find(({ payloads }) => payloads === null);
    if (unread) this.#refusals.expression = message("found.expression", { key: unread.key, value: unread.expression });
    const { http } = this.#row;
    const isHttp = url !== undefined && http !== undefined;
    this.#commands = isHttp ? http : this.#row;
    this.#address = plugAddressOf(config, `${deps.baseTopic}/plug/${this.id}`);
    this.#rules = this.#rulesOf(this.#address);
    this.#readers = isHttp ? { [HTTP_TOPIC]: http.reads(this.#address) } : this.#row.listens(this.#address);
    this.#meters = isHttp ? { [HTTP_TOPIC]: http.measures(this.#address) } : this.#brokerMeters();
    this.#report = new PlugReport({ id: this.id, name: config.name, whenLost: this.whenLost }, deps);
    this.#meter = new PlugMeter(this.id, config, deps);
    this.#machine = new PlugMachine(this.id, config, deps);
    this.#state = {
      ...unknownPlug(readJson(deps.memory, this.#report.sinceMemory, keptSince)),
      timerWorks: this.#report.timerWorks,
    };
    this.#transport = openPlugTransport(this.id, config, deps, {
      isUp: (up) => this.#isUp(up),
      onMessage: (message) => this.take(message),
      onAvailable: (available) => {
        const before = this.#waiting.findLast((event) => event.kind === "availability");
        if (available !== (before?.available ?? this.#state.available ?? true))
          this.#push({ kind: "availability", available, retained: false });
      },
      onRefusal: (refusal) => {
        this.#refusals.access = refusal;
      },
    });
  }

  get device(): string {
    return deviceOf(this.config) ?? this.id;
  }

  /** Topics of the broker that it follows. */
  get topics(): string[] {
    const { signal_topic: signalTopic } = this.config;
    const own = this.#transport.isOnBroker ? [this.#readers, this.#learns, this.#meters] : [];
    const readers = own.flatMap((each) => Object.keys(each));
    return [...new Set([...readers, ...(signalTopic === undefined ? [] : [signalTopic])])];
  }

  get #learns() {
    return (this.#transport.isOnBroker && this.#row.learns?.(this.#address)) || {};
  }

  /** Readers of topics of the broker: those of the owner instead of those of the family. */
  #brokerMeters(): Readonly<Record<string, MeterReader>> {
    const { power, energy } = this.config;
    return power?.topic !== undefined || energy?.topic !== undefined
      ? topicMeters({ power, energy })
      : (this.#row.measures?.(this.#address) ?? {});
  }

  #rulesOf(address: PlugAddress): PlugRules {
    const { override, min_on, min_off } = this.config;
    const timers = this.#commands.deadMan(address);
    const whenLost = this.whenLost;
    return {
      whenLost,
      deadMan: whenLost === "keep" ? null : timers[this.#relay(whenLost === "off") ? "on" : "off"],
      isTimerUnsure: this.#commands.isTimerUnsure ?? false,
      cutsIdle: address.learned?.cutsIdle ?? false,
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

  isBrokerUp(up: boolean): void {
    if (this.#transport.isOnBroker) this.#isUp(up);
  }

  /** Handles the start or end of a connection. Events of the previous connection are dropped. */
  #isUp(up: boolean): void {
    this.#waiting = [];
    this.#refusals.unclear = null;
    this.#link = up ? "new" : "down";
    this.#signalBy = null;
  }

  take({ topic, payload, retained }: IncomingMessage): void {
    if (topic === this.config.signal_topic) {
      this.#signal = textState(payload);
      this.#signalBy = Number.NEGATIVE_INFINITY;
    }
    this.#learn(this.#learns[topic]?.(payload) ?? null);
    const measured = Object.hasOwn(this.#meters, topic) ? this.#meters[topic]?.(payload) : null;
    // A retained value may be days old.
    if (measured && !retained) this.#measured = [...this.#measured, measured].slice(-MAX_WAITING);
    const heard = Object.hasOwn(this.#readers, topic) ? this.#readers[topic]?.(payload) : null;
    if (!heard) return;
    if (heard.kind === "unclear") {
      const { what, value } = heard;
      const why = message(what === "state" ? "found.unreadable_state" : "found.plug_error", { value });
      // A topic of the owner may also have other messages.
      if (this.#state.reported === null) this.#refusals.unclear = why;
      return;
    }
    if (heard.kind === "reported" || heard.kind === "done") this.#refusals.unclear = null;
    if (heard.kind === "bridge") this.#push(heard);
    else if (heard.kind === "availability") this.#push({ ...heard, retained });
    else {
      const on = this.#relay(heard.on);
      const { watts } = this.#meter;
      const isIdle = watts === null || watts < IDLE_WATTS;
      this.#push(heard.kind === "done" ? { kind: "done", on } : { kind: "reported", on, retained, isIdle });
    }
  }

  #learn(learned: LearnedPlug | GonePlug | null): void {
    if (!learned) return;
    const isGone = "renamedTo" in learned;
    if (isGone !== Boolean(this.#refusals.gone))
      this.#push({ kind: "availability", available: !isGone, retained: false });
    const name = isGone ? learned.renamedTo : null;
    const gone = name === null ? message("found.no_device") : message("found.renamed_device", { name });
    this.#refusals.gone = isGone ? gone : null;
    if (isGone || JSON.stringify(learned) === JSON.stringify(this.#address.learned)) return;
    this.#address = { ...this.#address, learned };
    this.#rules = this.#rulesOf(this.#address);
    this.#readers = this.#row.listens(this.#address);
    this.#meters = this.#brokerMeters();
    this.#push({ kind: "connected" });
  }

  #push(event: PlugEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** Sends the commands that are due. If a promise does not hold, none is sent, and the device's timer ends an ON. */
  tick(now: EpochMs): EpochMs {
    const run = () => this.#step(now);
    const safe = () => Number.POSITIVE_INFINITY;
    return keepingPromises(this.#deps.problems, { of: `plug ${this.id}`, now, run, safe });
  }

  #step(now: EpochMs): EpochMs {
    for (const measured of this.#measured.splice(0)) this.#report.takeReading(this.#meter.take(measured, now), now);
    this.#watch(now);
    const wakeAt = this.#switch(now);
    this.#watch(now);
    // A test is too short for the usual interval.
    const meterAt = this.#meter.tick(now, this.#isTried(now) ? SECOND_MS : undefined);
    return Math.min(wakeAt, meterAt, this.#machine.wakeAt);
  }

  #watch(now: EpochMs): void {
    if (!this.#machine.isWatched) return;
    const { reported, manualOverride } = this.#state;
    const runs = this.#deps.wanted(this.config, now)?.on === true;
    const isOn = reported === true;
    this.#machine.take({ watts: this.#meter.watts, isOn, runs, isForced: manualOverride === true }, now);
  }

  /** Sends the commands that are due, unless its plans are being decided or it has not answered yet. Returns when to do so again. */
  #switch(now: EpochMs): EpochMs {
    if (this.#transport.isBusy?.() || this.#deps.isDeciding?.(this.config, now)) return Number.POSITIVE_INFINITY;
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
    if (whenLost !== "off") return say("plug.try_stays_on");
    if (deadMan === null) return say("plug.try_no_timer");
    if (this.#link !== "up" || this.#state.available === false) return say("plug.try_away");
    if (this.#state.unresponsive) return say("plug.try_silent");
    if (this.#state.reported === true || this.#last?.targetOn === true) return say("plug.try_is_on");
    this.#trialUntil = now + TRIAL_MS;
    const { targetOn, reason } = this.#decide({ kind: "tick" }, now);
    if (targetOn === true) return null;
    this.#trialUntil = Number.NEGATIVE_INFINITY;
    this.#decide({ kind: "tick" }, now);
    return this.#reasonText(reason, language);
  }

  #reasonText(code: PlugReason, language: Language = this.#deps.language ?? "en"): string {
    if (code === "no_broker" && !this.#transport.isOnBroker) return sayIn(language)("plug.no_home_assistant");
    const because = this.#lastWanted?.reason ?? null;
    return plugReasonText(code, { because, whenLost: this.whenLost, language });
  }

  /** Tells its plans again what it knows of their machine, after another plug of theirs was closed. */
  tellMachine(): void {
    this.#machine.tell();
  }

  endProblems(): void {
    this.#report.end();
  }

  close(): Promise<void> {
    this.#meter.close();
    this.#machine.close();
    return this.#transport.close();
  }

  /** Requests the state of a plug that does not report it. Returns when to request it again. */
  #poll(now: EpochMs): EpochMs {
    const { pollMs } = this.#transport;
    if (pollMs === null) return Number.POSITIVE_INFINITY;
    if (now >= this.#askAt || this.#askAt > now + pollMs) {
      this.#askAt = now + pollMs;
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
      plan: typeof this.config.plan === "string" ? this.config.plan : null,
      on: reported,
      wanted: targetOn,
      code,
      reason: this.#reasonText(code),
      available: connected ? (available ?? (reported === null ? null : true)) : false,
      silent: unresponsive,
      since: since && since.on === reported ? since.at : null,
      measured: this.#meter.shown(),
    };
  }

  /** Passes `first`, all waiting events and a tick to the rules. Returns when to do so again. */
  #handle(first: readonly PlugEvent[], now: EpochMs): EpochMs {
    this.#link = "up";
    for (const event of [...first, ...this.#waiting.splice(0)]) this.#decide(event, now);
    return this.#decide({ kind: "tick" }, now).wakeAt ?? Number.POSITIVE_INFINITY;
  }

  #decide(event: PlugEvent, now: EpochMs): PlugDecision {
    const before = this.#state;
    const wanted = this.#wantedAt(now);
    const trusted = this.#deps.trusted(now);
    const rules = this.#rules;
    const decision = decide({ state: before, event, wanted, trusted, rules, now });
    for (const command of decision.commands) this.#send(command, decision.state);
    this.#state = decision.state;
    this.#last = decision;
    this.#lastWanted = wanted;
    const { reported } = this.#state;
    if (reported !== null && event.kind === "reported") this.#meter.isOn(reported, now);
    const { expression, gone, access, unclear } = this.#refusals;
    const refusal = expression ?? gone ?? access ?? unclear ?? null;
    this.#report.take({ before, decision, rules, why: wanted?.reason, refusal }, now);
    return decision;
  }

  /** Limited in both directions, so that a clock that is set back does not extend the trial. */
  #isTried(now: EpochMs): boolean {
    return now < this.#trialUntil && now >= this.#trialUntil - TRIAL_MS;
  }

  #wantedAt(now: EpochMs): Wanted | null {
    const { signal_topic: signalTopic } = this.config;
    const say = sayIn(this.#deps.language ?? "en");
    if (this.#isTried(now)) return { on: true, until: this.#trialUntil, reason: say("plug.is_tried"), isTrial: true };
    if (this.#refusals.expression) return null;
    if (signalTopic === undefined) {
      const wanted = this.#deps.wanted(this.config, now);
      const isReady = wanted !== null && !wanted.on && wanted.lost === undefined && this.#machine.isReady;
      return isReady ? { on: true, until: wanted.until, reason: say("plug.ready") } : wanted;
    }
    if (this.#signal === null) return null;
    const reason = say("plug.topic_says", { topic: signalTopic, state: say(this.#signal ? "word.on" : "word.off") });
    return { on: this.#signal, until: null, reason };
  }

  /** Sends a command. `state`: the plug's state with it. */
  #send(command: PlugCommand, state: PlugState = this.#state): void {
    checkCommand(command, this.#rules, state);
    for (const message of this.#messagesFor(command)) this.#transport.send(message);
  }

  #messagesFor(command: PlugCommand): PlugMessage[] {
    const commands = this.#commands;
    if (command.kind === "ask") return commands.ask(this.#address);
    if (command.kind === "clear_timer") return commands.clearTimer?.(this.#address) ?? [];
    return commands.turn(this.#address, this.#relay(command.kind === "on"), command.deadManSec);
  }
}
