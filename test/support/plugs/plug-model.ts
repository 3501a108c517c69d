/**
 * Models a plug, a broker, a plan and the daemon's plug control, without a network. The model has the correct time; the
 * daemon's clock may be wrong. Messages are routed as by a real broker and may be lost or late.
 */

import type { PlugConfig } from "../../../src/config/schema/plug-schema.ts";
import { ECHO_MS, type Wanted } from "../../../src/core/plugs/plug-types.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { type EpochMs, MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { PlugManager } from "../../../src/plugs/plug-manager.ts";
import { TestMemory } from "../storage/test-memory.ts";
import { EmulatedPlug } from "./emulated-plug.ts";
import { type BrokerFamily, type Firmware, firmwares, type Said } from "./firmware-emulators.ts";
import { PlugInvariants, TRUSTED_SKEW_MS } from "./plug-invariants.ts";
import { openPlugs } from "./plug-manager.ts";

export type Run = { readonly start: EpochMs; readonly end: EpochMs };

export interface WorldSetup {
  readonly family: BrokerFamily;
  /** Resting state. The plug leaves it during a run. */
  readonly whenLost: "on" | "off";
  readonly powerOn: "off" | "last" | "on";
  /** Tasmota's PowerOnState, if it was set before the test. */
  readonly powerOnState?: number;
  readonly override: PlugConfig["override"];
  readonly minOnMs: number;
  readonly minOffMs: number;
  /** True if the broker queues messages for the plug while it is offline. */
  readonly persistentSession: boolean;
  readonly startsOn: boolean;
  readonly runs: readonly Run[];
}

/** Maximum time until a sleeping loop notices a changed clock. */
const CLOCK_SLICE_MS = 15_000;
/** Time until the broker detects a lost connection. */
const WILL_AFTER_MS = 20_000;
const EXPIRY_MS = 10_000;
const SETTINGS = { id: "plug", name: "Plug", inverted: false };

export class PlugModel {
  now: EpochMs = 0;
  offsetMs = 0;
  planKnown = true;
  runs: Run[];
  brokerUp = true;
  wifi = true;
  answerDelayMs = 0;
  loseToPlug = 0;
  loseFromPlug = 0;
  readonly setup: WorldSetup;
  readonly firmware: Firmware;
  readonly plug: EmulatedPlug;
  readonly judge: PlugInvariants;
  /** Retained messages, each with the plug's state when it was published. */
  readonly retained = new Map<string, Said & { readonly on: boolean | null }>();
  readonly memory = new Map<string, string>();
  readonly problems = new Problems(
    ({ code }, state) => code === "plug_silent" && state === "started" && this.judge.foundSilent(),
  );
  /** True if the plug is connected to the broker. */
  linked = false;
  daemon: PlugManager | null = null;
  /** True if the daemon is connected to the broker. */
  lineUp = false;
  /** State in the last message to the daemon on this connection; null before the first message. */
  toldOn: boolean | null = null;
  #events: { readonly at: EpochMs; readonly happen: () => void }[] = [];
  #lookAtWall: EpochMs = Number.POSITIVE_INFINITY;
  #queued: { readonly said: Said; readonly at: EpochMs }[] = [];
  #toldAt: EpochMs = 0;
  #links = 0;
  #lives = 0;

  constructor(setup: WorldSetup) {
    this.setup = setup;
    this.firmware = firmwares[setup.family];
    this.plug = new EmulatedPlug(this.firmware, { ...setup, on: setup.startsOn });
    this.runs = [...setup.runs];
    this.judge = new PlugInvariants(this);
    this.#link();
  }

  /** True if a message from the plug is in flight for too long. */
  get isLate(): boolean {
    return this.answerDelayMs > ECHO_MS || this.#toldAt > this.now;
  }

  get wall(): EpochMs {
    return this.now + this.offsetMs;
  }

  get trusted(): boolean {
    return Math.abs(this.offsetMs) <= TRUSTED_SKEW_MS;
  }

  /** Returns the state that the plan wants by the daemon's clock. */
  wanted(now: EpochMs = this.wall): Wanted | null {
    if (!this.planKnown) return null;
    const run = this.runs.find(({ start, end }) => start <= now && now < end);
    const next = Math.min(...this.runs.map(({ start }) => start).filter((start) => start > now));
    const rests = this.setup.whenLost === "on";
    return run ? { on: !rests, until: run.end } : { on: rests, until: Number.isFinite(next) ? next : null };
  }

  startDaemon(): void {
    if (this.daemon) return;
    this.judge.daemonStarts();
    const life = ++this.#lives;
    const { override, minOnMs, minOffMs } = this.setup;
    const rules = { override, min_on: minOnMs / MINUTE_MS, min_off: minOffMs / MINUTE_MS };
    this.daemon = openPlugs({
      plugs: [{ ...SETTINGS, ...this.firmware.setup, ...rules }],
      publishOnce: (topic, payload) => this.publishOnce(topic, payload),
      wanted: (_id, now) => this.wanted(now),
      whenLost: () => this.setup.whenLost,
      trusted: () => this.trusted,
      memory: new TestMemory(this.memory),
      problems: this.problems,
      wake: () => this.at(0, () => life === this.#lives && this.#look()),
    });
    this.#look();
    if (this.brokerUp) this.#daemonConnects();
  }

  /** Stops the daemon without a disconnect, like `kill -9`. */
  crashDaemon(): void {
    this.daemon = null;
    this.#lives++;
    this.lineUp = false;
    this.#lookAtWall = Number.POSITIVE_INFINITY;
    this.problems.end("plug plug");
  }

  stopBroker(): void {
    this.brokerUp = false;
    if (this.lineUp) this.daemon?.onDown();
    this.lineUp = false;
    this.#unlink();
  }

  startBroker(reconnectMs: number): void {
    if (this.brokerUp) return;
    this.brokerUp = true;
    this.at(250, () => this.#daemonConnects());
    this.at(reconnectMs, () => this.#link());
  }

  losePower(): void {
    this.plug.losePower();
    this.#vanish();
  }

  getPower(bootMs: number): void {
    this.plug.getPower(this.now);
    this.at(bootMs, () => this.#link());
  }

  loseWifi(): void {
    this.wifi = false;
    this.#vanish();
  }

  getWifi(): void {
    this.wifi = true;
    this.at(1_000, () => this.#link());
  }

  press(): void {
    this.judge.pressed();
    this.#said(this.plug.press(this.now));
  }

  /** Retains an ON on the plug's command topic, as another client. */
  leaveForeignCommand(): void {
    this.retained.set(this.firmware.foreignOn.topic, { ...this.firmware.foreignOn, retain: true, on: null });
  }

  setClock(offsetMs: number): void {
    this.offsetMs = offsetMs;
    this.judge.clockSet();
    this.at(CLOCK_SLICE_MS, () => this.#look());
  }

  /** Ends the current run now, as a `stop` command to its plan does. */
  stopRun(): void {
    this.runs = this.runs.map((run) =>
      run.start <= this.now && this.now < run.end ? { start: run.start, end: this.now } : run,
    );
    this.wake();
  }

  wake(): void {
    this.#look();
  }

  at(inMs: number, happen: () => void): void {
    const at = this.now + inMs;
    const index = this.#events.findIndex((event) => event.at > at);
    this.#events.splice(index < 0 ? this.#events.length : index, 0, { at, happen });
  }

  /** Advances time by `ms`, event by event. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const next = this.#nextAt();
      this.judge.passes(Math.min(next, end));
      if (next > end) break;
      this.now = Math.max(this.now, next);
      if (this.plug.timerAt !== null && this.plug.timerAt <= this.now) {
        this.judge.timerEnds(this.plug.cause);
        this.#said(this.plug.tick(this.now));
      }
      if (this.#events[0] && this.#events[0].at <= this.now) this.#events.shift()?.happen();
      else if (this.daemon && this.#lookAtWall <= this.wall) this.#look();
      this.judge.looks();
    }
    this.now = end;
  }

  /** Sends a message from the daemon to the plug. */
  publishOnce(topic: string, payload: string): boolean {
    if (!this.lineUp || !this.daemon) return false;
    const said: Said = { topic, payload, retain: false };
    this.judge.commanded(said);
    if (said.retain) this.retained.set(topic, { ...said, on: null });
    if (this.linked) this.#deliver(said);
    else this.judge.lost();
    if (!this.linked && this.setup.persistentSession) this.#queued.push({ said, at: this.now });
    return true;
  }

  #nextAt(): EpochMs {
    const look = this.daemon ? Math.max(this.now, this.#lookAtWall - this.offsetMs) : Number.POSITIVE_INFINITY;
    const edges = this.runs.flatMap(({ start, end }) => [start, end]).map((at) => at - this.offsetMs);
    const edge = Math.min(...edges.filter((at) => at > this.now));
    return Math.min(this.#events[0]?.at ?? edge, look, this.plug.timerAt ?? edge, edge);
  }

  #look(): void {
    if (!this.daemon) return;
    this.judge.daemonLooks();
    this.#lookAtWall = this.daemon.tick(this.wall);
    if (this.#lookAtWall <= this.wall) throw new Error("the loop of the plugs would spin");
  }

  #daemonConnects(): void {
    if (!this.daemon || !this.brokerUp || this.lineUp) return;
    this.lineUp = true;
    this.toldOn = null;
    this.judge.disturbed();
    this.daemon.onUp();
    for (const said of this.retained.values()) {
      this.#hear(said, true);
      if (this.daemon.subscriptions.includes(said.topic)) this.toldOn = said.on;
    }
  }

  #hear({ topic, payload }: Said, retained: boolean): void {
    if (!this.daemon || !this.lineUp || !this.daemon.subscriptions.includes(topic)) return;
    this.daemon.onMessage({ topic, payload, retained });
  }

  #link(): void {
    if (this.linked || !this.brokerUp || !this.wifi || !this.plug.powered) return;
    this.judge.disturbed();
    this.linked = true;
    const link = ++this.#links;
    for (const { said, at } of this.#queued.splice(0)) if (this.now - at <= EXPIRY_MS) this.#deliver(said);
    const left = this.firmware.listens.flatMap((topic) => this.retained.get(topic) ?? []);
    // A retained command can arrive before or after the plug has published its state.
    for (const said of left)
      this.at(link % 2 ? 0 : 1_500, () => {
        if (!this.linked || this.#links !== link) return;
        this.judge.foreignComes();
        this.#said(this.plug.receive(said.topic, said.payload, this.now, "foreign"));
      });
    for (const said of this.plug.birth()) this.#tell(said, this.plug.on);
  }

  /** Breaks the plug's connection without a disconnect. */
  #vanish(): void {
    if (!this.linked) return;
    this.#unlink();
    const link = this.#links;
    this.at(WILL_AFTER_MS, () => link === this.#links && this.brokerUp && this.#tell(this.firmware.offline, null));
  }

  #unlink(): void {
    this.linked = false;
  }

  #deliver(said: Said): void {
    if (this.loseToPlug > 0) {
      this.loseToPlug--;
      this.judge.lost();
      return;
    }
    this.#said(this.plug.receive(said.topic, said.payload, this.now));
  }

  /** Sends a message from the plug, if it is connected. */
  #said(list: readonly Said[]): void {
    if (!this.linked) return;
    const { on } = this.plug;
    for (const said of list) {
      if (this.loseFromPlug > 0) {
        this.loseFromPlug--;
        this.judge.lost();
      } else this.#tellLater(said, on);
    }
  }

  /** Sends a message after the delay. Messages keep their order. */
  #tellLater(said: Said, on: boolean): void {
    this.#toldAt = Math.max(this.#toldAt, this.now + this.answerDelayMs);
    const isLate = this.#toldAt > this.now + ECHO_MS;
    this.at(this.#toldAt - this.now, () => {
      if (isLate) this.judge.lost();
      this.#tell(said, on);
    });
  }

  #tell(said: Said, on: boolean | null): void {
    if (said.retain) this.retained.set(said.topic, { ...said, on });
    if (this.lineUp) this.toldOn = on;
    this.#hear(said, false);
  }
}
