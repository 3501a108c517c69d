import type { EpochMs } from "../../../src/core/time/interval.ts";
import type { Firmware, Said } from "./firmware-emulators.ts";

/** Cause of the relay's current state. */
export type Cause = "command" | "hand" | "power" | "timer" | "foreign";

/** State and settings of a plug at the start of a test. */
export interface PlugBefore {
  readonly powerOn: "off" | "last" | "on";
  readonly on: boolean;
  /** Tasmota's PowerOnState, if set. */
  readonly powerOnState?: number | undefined;
}

/** Hardware of an emulated plug: relay, timer, button and mains. Uses the time of the model, not the daemon's. */
export class EmulatedPlug {
  readonly firmware: Firmware;
  readonly powerOn: "off" | "last" | "on";
  powered = true;
  on: boolean;
  /** Cause of the last command or event, even if it did not change the state. */
  cause: Cause = "power";
  timerAt: EpochMs | null = null;
  #pulseSec = 0;
  #powerOnState: number | null;

  constructor(firmware: Firmware, { powerOn, on, powerOnState }: PlugBefore) {
    this.firmware = firmware;
    this.#powerOnState = powerOnState ?? null;
    this.powerOn = powerOn;
    this.on = on;
  }

  /** Executes a message if it is a command for this plug. Returns the messages that it publishes. */
  receive(topic: string, payload: string, now: EpochMs, cause: "command" | "foreign" = "command"): Said[] {
    const order = this.powered ? this.firmware.understand(topic, payload) : null;
    if (!order) return [];
    this.#powerOnState = order.powerOnState ?? this.#powerOnState;
    if (order.pulseSec !== undefined) {
      this.#pulseSec = order.pulseSec;
      this.timerAt = order.pulseSec > 0 ? now + order.pulseSec * 1_000 : null;
    }
    const before = this.on;
    if (order.set !== undefined) this.#set(order.set, now, cause, order.timerSec ?? null);
    const messages = order.tells || before !== this.on ? this.firmware.state(this.on) : [];
    return order.answer ? [order.answer(this.on), ...messages] : messages;
  }

  /** Presses the button. */
  press(now: EpochMs): Said[] {
    if (!this.powered) return [];
    this.#set(!this.on, now, "hand", null);
    return this.firmware.state(this.on);
  }

  /** Handles the end of the device's timer. */
  tick(now: EpochMs): Said[] {
    if (!this.powered || this.timerAt === null || now < this.timerAt) return [];
    this.#set(this.#pulseSec > 0 ? this.#isPulseInverted : !this.on, now, "timer", null);
    return this.firmware.state(this.on);
  }

  losePower(): void {
    this.powered = false;
    this.timerAt = null;
  }

  /** Boots the plug. Its messages are published when it connects. */
  getPower(now: EpochMs): void {
    if (this.powered) return;
    this.powered = true;
    const last = this.powerOn === "last" ? this.on : this.powerOn === "on";
    this.#set(this.#powerOnState === null ? last : this.#powerOnState === 1, now, "power", null);
  }

  /** Returns the messages that it publishes when it connects to a broker. */
  birth(): Said[] {
    return [this.firmware.online, ...this.firmware.state(this.on)];
  }

  /** True if the load has power. */
  get isLive(): boolean {
    return this.powered && this.on;
  }

  get #isPulseInverted(): boolean {
    return this.#powerOnState === 5;
  }

  #set(on: boolean, now: EpochMs, cause: Cause, timerSec: number | null): void {
    this.on = on;
    this.cause = cause;
    const pulseSec = this.#pulseSec > 0 && on !== this.#isPulseInverted ? this.#pulseSec : null;
    const seconds = timerSec ?? pulseSec;
    this.timerAt = seconds !== null ? now + seconds * 1_000 : null;
  }
}
