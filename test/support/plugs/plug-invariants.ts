/** Checks the plug model for forbidden states: an ON without an end, an unwanted ON, a retained command. */

import {
  DEAD_MAN_MARGIN_MS,
  ECHO_MS,
  MAX_DEAD_MAN_MS,
  MAX_RETRIES,
  RENEWED_EVERY_MS,
  TIMER_SLACK_MS,
} from "../../../src/core/plugs/plug-types.ts";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import type { Cause, EmulatedPlug } from "./emulated-plug.ts";
import type { Firmware, Said } from "./firmware-emulators.ts";

/** Every attempt may be lost or answered late, and the daemon notices a changed clock late. */
const REACTION_MS = ECHO_MS * (MAX_RETRIES + 1) + 20_000;
const TRANSIT_MS = 15_000;

/** The device's timer ends an ON this long after its run at most, and is waited for a little longer. */
const TIMER_TEST_MS = DEAD_MAN_MARGIN_MS + 2 * TIMER_SLACK_MS;

/** Largest error of a trusted clock. */
export const TRUSTED_SKEW_MS = 120_000;

/** What the checks read of the plug model. */
interface ObservedModel {
  readonly now: EpochMs;
  readonly setup: {
    readonly family: string;
    /** The resting state; the runs are out of it. */
    readonly whenLost: "on" | "off";
    readonly override: "respect" | "enforce";
    readonly minOnMs: number;
    readonly minOffMs: number;
  };
  readonly firmware: Firmware;
  readonly plug: EmulatedPlug;
  readonly problems: { list(): readonly { readonly code: string }[] };
  readonly runs: readonly { readonly start: EpochMs; readonly end: EpochMs }[];
  readonly isLate: boolean;
  readonly trusted: boolean;
  readonly toldOn: boolean | null;
  readonly daemon: object | null;
  readonly lineUp: boolean;
  readonly linked: boolean;
  readonly loseToPlug: number;
  readonly loseFromPlug: number;
  readonly answerDelayMs: number;
  wanted(): { readonly on: boolean } | null;
}

export class PlugInvariants {
  readonly violations: string[] = [];
  /** Commands sent by all processes of the daemon. */
  commands = 0;
  onCommands = 0;
  /** Time the plug was out of its resting state. Unit: ms. */
  liveMs = 0;
  readonly #world: ObservedModel;
  #calmSince: EpochMs = 0;
  readonly #losses: EpochMs[] = [];
  #pressedAt: EpochMs | null = null;
  #clockSetAt: EpochMs = Number.NEGATIVE_INFINITY;
  #wanted = false;
  #wantedSince: EpochMs = 0;
  #wantedSeen = false;
  #edgeSeenAt: EpochMs = 0;
  #seenUntil: EpochMs = 0;
  #saidInLife = false;

  constructor(world: ObservedModel) {
    this.#world = world;
  }

  disturbed(): void {
    this.#calmSince = this.#world.now;
  }

  /** A message was lost or came late. */
  lost(): void {
    this.#losses.push(this.#world.now);
    this.disturbed();
  }

  /**
   * A plug may count as silent only after everything that was tried was lost, but for the first try of one that answers
   * to changes only.
   */
  foundSilent(): void {
    const { now, setup, isLate } = this.#world;
    // A clock that is set forward makes every answer late.
    if (now < this.#clockSetAt + REACTION_MS) return;
    const recent = this.#losses.filter((at) => at > now - REACTION_MS - ECHO_MS).length;
    if (setup.family !== "esphome" && !isLate && recent < MAX_RETRIES) this.#violated(`silent after ${recent} losses`);
  }

  daemonStarts(): void {
    this.#saidInLife = false;
    this.disturbed();
  }

  pressed(): void {
    this.#pressedAt = this.#world.now;
    this.disturbed();
  }

  /**
   * The device's timer ends an ON. One that nobody gave it on this clock, that somebody else started, or that is told
   * late looks like a hand to the daemon.
   */
  timerEnds(started: Cause): void {
    const { now, isLate } = this.#world;
    if (isLate || started !== "command" || now < this.#clockSetAt + MAX_DEAD_MAN_MS) this.#pressedAt = now;
    this.disturbed();
  }

  /**
   * Somebody else's command. A plug that just came back is not believed for a while, by the daemon's clock; what is told
   * of it after that looks like a hand.
   */
  foreignComes(): void {
    const { now, isLate } = this.#world;
    if (isLate || now < this.#clockSetAt + 2 * ECHO_MS) this.#pressedAt = now;
  }

  clockSet(): void {
    this.#clockSetAt = this.#world.now;
    this.disturbed();
  }

  commanded({ topic, payload, retain }: Said): void {
    const { firmware, trusted } = this.#world;
    this.commands++;
    this.#saidInLife = true;
    if (retain) this.#violated("a command is retained");
    const order = firmware.understand(topic, payload);
    if (!order) this.#violated(`no plug of this family understands ${topic} ${payload}`);
    if (order?.set === undefined || order.set === this.#restsOn) return;
    this.onCommands++;
    if (!trusted) this.#violated(`${this.#away} while the clock is not trusted`);
    if (!this.#wants()) this.#violated(`${this.#away} although it is not wanted`);
  }

  /** Called when the daemon reads the plan. It only notices changes that it reads. */
  daemonLooks(): void {
    const wanted = this.#wants();
    if (wanted !== this.#wantedSeen) this.#edgeSeenAt = this.#world.now;
    this.#wantedSeen = wanted;
  }

  /** Called when the wanted state may have changed. */
  looks(): void {
    const wanted = this.#wants();
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#wantedSince = this.#world.now;
  }

  /** Called before time advances to `at`; nothing else changes until then. */
  passes(at: EpochMs): void {
    this.looks();
    const { plug, firmware } = this.#world;
    if (this.#isAway) {
      this.liveMs += at - this.#seenUntil;
      const timed = this.#restsOn ? firmware.hasOffTimer : firmware.hasTimer;
      if (timed && plug.cause === "command" && at > this.#lastEnd() + MAX_DEAD_MAN_MS + TRUSTED_SKEW_MS + TRANSIT_MS)
        this.#violated(`${this.#away} after the end of its run and its dead-man`);
    }
    this.#seenUntil = at;
    if (this.#isCalm()) this.#judgeCalm(at);
  }

  #judgeCalm(at: EpochMs): void {
    const { plug, setup, toldOn, problems } = this.#world;
    const slack = REACTION_MS + (problems.list().some(({ code }) => code === "plug_silent") ? RENEWED_EVERY_MS : 0);
    const since = Math.max(this.#calmSince, this.#wantedSince) + slack;
    if (!this.#saidInLife && at > since) this.#violated("nothing was said at the start");
    if (this.#byHand() || toldOn === !plug.on) return;
    const [minAwayMs, minRestMs] = this.#restsOn ? [setup.minOffMs, setup.minOnMs] : [setup.minOnMs, setup.minOffMs];
    // The daemon leaves the plug to its timer once, to see whether it works.
    const testMs = setup.family === "zigbee2mqtt" ? TIMER_TEST_MS : 0;
    if (this.#isAway && !this.#wanted && at > since + Math.min(Math.max(minAwayMs, testMs), MAX_DEAD_MAN_MS))
      this.#violated(`${this.#away} although all is well and ${this.#rest} is wanted (by ${plug.cause})`);
    if (!this.#isAway && this.#wanted && at > since + minRestMs)
      this.#violated(`${this.#rest} although all is well and ${this.#away} is wanted (by ${plug.cause})`);
  }

  get #restsOn(): boolean {
    return this.#world.setup.whenLost === "on";
  }

  get #rest(): string {
    return this.#restsOn ? "ON" : "OFF";
  }

  get #away(): string {
    return this.#restsOn ? "OFF" : "ON";
  }

  get #isAway(): boolean {
    const { powered, on } = this.#world.plug;
    return powered && on !== this.#restsOn;
  }

  /** Returns true if the daemon and the plug can exchange messages. */
  #isCalm(): boolean {
    const { daemon, lineUp, linked, loseToPlug, loseFromPlug, plug, trusted, answerDelayMs } = this.#world;
    const lossless = loseToPlug === 0 && loseFromPlug === 0 && answerDelayMs <= ECHO_MS;
    return daemon !== null && lineUp && linked && plug.powered && lossless && trusted;
  }

  /** A manual override lasts until the wanted state changes. */
  #byHand(): boolean {
    if (this.#world.setup.override === "enforce" || this.#pressedAt === null) return false;
    return this.#edgeSeenAt <= this.#pressedAt;
  }

  #wants(): boolean {
    return this.#world.trusted && this.#world.wanted()?.on === !this.#restsOn;
  }

  /** Returns the end of the run that started last. */
  #lastEnd(): EpochMs {
    const { runs, now } = this.#world;
    return Math.max(0, ...runs.filter(({ start }) => start <= now + TRUSTED_SKEW_MS).map(({ end }) => end));
  }

  #violated(what: string): void {
    if (this.violations.length < 10) this.violations.push(`${Math.round(this.#world.now / 1_000)} s: ${what}`);
  }
}
