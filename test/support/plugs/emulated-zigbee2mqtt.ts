/**
 * Emulates Zigbee2MQTT with one plug, without a network: the real converters between MQTT and Zigbee, and an emulated
 * device. Source of the message flow: Zigbee2MQTT 2.x, lib/extension/publish.ts and receive.ts.
 */
import { type Converters, type Definition, loadConverters, type ToZigbee } from "./zigbee-converters.ts";

/** Unit in which a plug's firmware reads the time of On With Timed Off. */
export type TimedOn = "tenths" | "seconds" | "seconds in 8 bits" | "ignores the time";

export interface ZigbeeModel {
  readonly modelId: string;
  readonly manufacturer: string;
  /** See the sources at `zigbeeModels`. */
  readonly timedOn: TimedOn;
}

/**
 * - IKEA: source zigbee-herdsman-converters pull request 2326.
 * - Philips Hue: the standard's tenths; not verified on a device.
 * - Tuya and Nous: source zigbee-herdsman-converters, tuya.ts, on_off_countdown: "in a non-standard way", seconds.
 * - Nous A1Z of 2025: source zigbee2mqtt issues 28325 and 28570: countdowns above 255 s are taken modulo 256.
 * - Sonoff: source zigbee2mqtt issue 32478.
 */
export const zigbeeModels = {
  IKEA: { modelId: "TRADFRI control outlet", manufacturer: "IKEA of Sweden", timedOn: "tenths" },
  "Philips Hue": { modelId: "LOM007", manufacturer: "Signify Netherlands B.V.", timedOn: "tenths" },
  Tuya: { modelId: "TS011F", manufacturer: "_TZ3000_g5xawfcq", timedOn: "seconds" },
  "Nous A1Z": { modelId: "TS011F", manufacturer: "_TZ3000_2putqrmw", timedOn: "seconds" },
  "Nous A1Z, 8 bits": { modelId: "TS011F", manufacturer: "_TZ3000_2putqrmw", timedOn: "seconds in 8 bits" },
  "Sonoff S60ZBTPF": { modelId: "S60ZBTPF", manufacturer: "SONOFF", timedOn: "ignores the time" },
} as const satisfies Readonly<Record<string, ZigbeeModel>>;

type Publish = (topic: string, payload: string, retained: boolean) => void;

export class EmulatedZigbee2mqtt {
  on = false;
  offAt: number | null = null;
  readonly model: ZigbeeModel;
  readonly name: string;
  readonly #publish: Publish;
  readonly #definition: Definition;
  readonly #device: object;
  #state: Record<string, unknown> = {};
  #now = 0;
  #sequence = 0;

  private constructor(model: ZigbeeModel, name: string, publish: Publish, device: object, definition: Definition) {
    this.model = model;
    this.name = name;
    this.#publish = publish;
    this.#device = device;
    this.#definition = definition;
  }

  /** Opens the bridge with a plug. Throws if the converters do not know the model. */
  static async open(converters: Converters, model: ZigbeeModel, name: string, publish: Publish) {
    const endpoint = {
      ID: 1,
      command: async (_cluster: string, command: string, payload: { ontime?: number }) => made.#take(command, payload),
      read: async (_cluster: string, attributes: readonly string[]) => made.#report(attributes, "readResponse"),
    };
    const device = {
      ...{ modelID: model.modelId, manufacturerName: model.manufacturer, type: "Router", ieeeAddr: "0x1", meta: {} },
      ...{ endpoints: [endpoint], getEndpoint: () => endpoint, customClusters: {}, addCustomCluster: () => undefined },
    };
    const definition = await converters.findByDevice(device);
    if (!definition) throw new Error(`no definition of ${model.modelId}`);
    const made = new EmulatedZigbee2mqtt(model, name, publish, device, definition);
    return made;
  }

  get title(): string {
    return `${this.#definition.vendor} ${this.#definition.model}`;
  }

  /** Publishes the retained messages that a new connection receives. */
  announce(): void {
    const { vendor, model, exposes } = this.#definition;
    const list = typeof exposes === "function" ? exposes(this.#device, {}) : exposes;
    const devices = [
      { friendly_name: "Coordinator", definition: null },
      { friendly_name: this.name, ieee_address: "0x1", definition: { vendor, model, exposes: list } },
    ];
    this.#publish("zigbee2mqtt/bridge/state", '{"state":"online"}', true);
    this.#publish("zigbee2mqtt/bridge/devices", JSON.stringify(devices), true);
  }

  /** Handles a message. Returns false if it is not for a device of this bridge. */
  async receive(topic: string, payload: string, now: number): Promise<boolean> {
    this.#now = now;
    const verb = topic.split("/").at(-1);
    if (topic !== `zigbee2mqtt/${this.name}/${verb}`) return false;
    const message = JSON.parse(payload) as Record<string, unknown>;
    const used = new Set<ToZigbee>();
    const optimistic: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(message)) {
      const converter = this.#definition.toZigbee.find((each) => each.key?.includes(key));
      if (!converter || used.has(converter)) continue;
      used.add(converter);
      const meta = { message, state: this.#state, device: this.#device, mapped: this.#definition, options: {} };
      const endpoint = (this.#device as { getEndpoint: () => object }).getEndpoint();
      if (verb === "get") await converter.convertGet?.(endpoint, key, meta);
      else Object.assign(optimistic, (await converter.convertSet?.(endpoint, key, value, meta))?.state);
    }
    if (Object.keys(optimistic).length > 0) this.#show(optimistic);
    return true;
  }

  /** Runs the device's timer until `now`. */
  tick(now: number): void {
    this.#now = now;
    if (this.offAt !== null && now >= this.offAt) this.#switch(false, null);
  }

  press(): void {
    this.#switch(!this.on, null);
  }

  #take(command: string, { ontime = 0 }: { readonly ontime?: number }): void {
    if (command !== "onWithTimedOff") {
      this.#switch(command === "toggle" ? !this.on : command === "on", null);
      return;
    }
    const unitMs = this.model.timedOn === "tenths" ? 100 : 1_000;
    const time = this.model.timedOn === "seconds in 8 bits" ? ontime % 256 : ontime;
    const lasts = this.model.timedOn === "ignores the time" || time === 0 ? null : time * unitMs;
    this.#switch(true, lasts === null ? null : this.#now + lasts);
  }

  /**
   * Switches and reports a change, as Zigbee2MQTT configures it. A plug that is already in this state does not report.
   */
  #switch(on: boolean, offAt: number | null): void {
    const changed = on !== this.on;
    this.on = on;
    this.offAt = on ? offAt : null;
    if (changed) this.#report(["onOff"], "attributeReport");
  }

  #report(attributes: readonly string[], type: string): void {
    const all: Readonly<Record<string, number>> = { onOff: this.on ? 1 : 0, onTime: 0 };
    const data = Object.fromEntries(attributes.map((name) => [name, all[name]]));
    const endpoint = (this.#device as { getEndpoint: () => object }).getEndpoint();
    const meta = { zclTransactionSequenceNumber: ++this.#sequence };
    const message = { data, endpoint, device: this.#device, type, cluster: "genOnOff", meta, linkquality: 80 };
    const heard: Record<string, unknown> = {};
    for (const converter of this.#definition.fromZigbee) {
      if (converter.cluster !== "genOnOff" || ![converter.type].flat().includes(type)) continue;
      const context = { state: this.#state, device: this.#device, deviceExposesChanged: () => undefined };
      Object.assign(
        heard,
        converter.convert(this.#definition, message, () => undefined, {}, context),
      );
    }
    if (Object.keys(heard).length > 0) this.#show(heard);
  }

  #show(change: Readonly<Record<string, unknown>>): void {
    this.#state = { ...this.#state, ...change };
    this.#publish(`zigbee2mqtt/${this.name}`, JSON.stringify({ ...this.#state, linkquality: 80 }), false);
  }
}

/** Real converters; null if they cannot be installed. */
export const converters: Converters | null = loadConverters();
