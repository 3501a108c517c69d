/** Checks the plug model for violations: an ON without an end, an unwanted ON, a retained command. */

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

/** Maximum reaction time: every attempt can be lost or late, and the daemon notices a clock change late. */
const REACTION_MS = ECHO_MS * (MAX_RETRIES + 1) + 20_000;
const TRANSIT_MS = 15_000;

/** Maximum duration of the daemon's timer test after a run, until it stops waiting. */
const TIMER_TEST_MS: number = DEAD_MAN_MARGIN_MS + 2 * TIMER_SLACK_MS;

/** Maximum error of a trusted clock. */
export const TRUSTED_SKEW_MS = 120_000;

/** Properties of the plug model that the checks read. */
interface ObservedModel {
  readonly now: EpochMs;
  readonly setup: {
    readonly family: string;
    /** Resting state. The plug leaves it during a run. */
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
  /** Number of commands that all daemon processes have sent. */
  commands = 0;
  onCommands = 0;
  /** Time outside the resting state, in ms. */
  liveMs = 0;
  readonly #world: ObservedModel;
  #calmSince: EpochMs = 0;
  readonly #losses: EpochMs[] = [];
  readonly #presses: EpochMs[] = [];
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

  /** Records that a message was lost or late. */
  lost(): void {
    this.#losses.push(this.#world.now);
    this.disturbed();
  }

  /**
   * Checks that the plug is reported as unresponsive only after at least `MAX_RETRIES` losses or presses, because a
   * command that a press contradicts is repeated too. Not checked for firmware that reports only changes.
   */
  foundSilent(): void {
    const { now, firmware, isLate } = this.#world;
    // A clock that was set forward makes every response late.
    if (now < this.#clockSetAt + REACTION_MS) return;
    const recent = [...this.#losses, ...this.#presses].filter((at) => at > now - REACTION_MS - ECHO_MS).length;
    if (!firmware.reportsOnlyChanges && !isLate && recent < MAX_RETRIES)
      this.#violated(`silent after ${recent} losses and presses`);
  }

  daemonStarts(): void {
    this.#saidInLife = false;
    this.disturbed();
  }

  pressed(): void {
    this.#pressedAt = this.#world.now;
    this.#presses.push(this.#world.now);
    this.disturbed();
  }

  /**
   * Records that the device's timer ended an ON. The daemon interprets it as a manual change in three cases: it did not
   * start the timer on this clock, another client started it, or the message is late.
   */
  timerEnds(started: Cause): void {
    const { now, isLate } = this.#world;
    if (isLate || started !== "command" || now < this.#clockSetAt + MAX_DEAD_MAN_MS) this.#pressedAt = now;
    this.disturbed();
  }

  /**
   * Records a command from another client. After a reconnection the daemon ignores the plug's reports for a while, by
   * its own clock. It takes a later report for a manual change.
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

  /** Called when the daemon reads the plan. It notices only changes that it reads. */
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
    // The daemon once lets the timer end a run, to test it. The test can begin at the end of the minimum time.
    const testMs = setup.family === "zigbee2mqtt" ? TIMER_TEST_MS : 0;
    if (this.#isAway && !this.#wanted && at > since + Math.min(minAwayMs + testMs, MAX_DEAD_MAN_MS))
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

  /** Returns true if the daemon and the plug can exchange messages without loss or delay. */
  #isCalm(): boolean {
    const { daemon, lineUp, linked, loseToPlug, loseFromPlug, plug, trusted, answerDelayMs } = this.#world;
    const lossless = loseToPlug === 0 && loseFromPlug === 0 && answerDelayMs <= ECHO_MS;
    return daemon !== null && lineUp && linked && plug.powered && lossless && trusted;
  }

  /** Returns true during a manual override, which lasts until the wanted state changes. */
  #byHand(): boolean {
    if (this.#world.setup.override === "enforce" || this.#pressedAt === null) return false;
    return this.#edgeSeenAt <= this.#pressedAt;
  }

  #wants(): boolean {
    return this.#world.trusted && this.#world.wanted()?.on === !this.#restsOn;
  }

  /** Returns the end of the last run that has started by a clock with the maximum error. */
  #lastEnd(): EpochMs {
    const { runs, now } = this.#world;
    return Math.max(0, ...runs.filter(({ start }) => start <= now + TRUSTED_SKEW_MS).map(({ end }) => end));
  }

  #violated(what: string): void {
    if (this.violations.length < 10) this.violations.push(`${Math.round(this.#world.now / 1_000)} s: ${what}`);
  }
}
