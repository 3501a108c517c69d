import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import type { RetainedMessage } from "../client/message.ts";
import { deviceId } from "./device-id.ts";
import { announce, type DiscoveryOptions } from "./discovery.ts";
import { type Device, existsFor } from "./entity.ts";

/** A cached discovery document, with the fingerprint of its input. */
type Made = { readonly from: string; readonly message: RetainedMessage; readonly announced: readonly string[] };

/** Makes and caches discovery documents. Stores the key of every row that was ever in a device's document. */
export class Announcer {
  #options: DiscoveryOptions;
  readonly #memory: KeyValue;
  /** Keyed by device id. Bounded by the devices: homes, places, plans, plugs and the daemon. */
  readonly #made = new Map<string, Made>();

  constructor(options: DiscoveryOptions, memory: KeyValue) {
    this.#options = { ...options, timeEntities: options.timeEntities ?? hasTimeEntities(options, memory) };
    this.#memory = memory;
  }

  /** Links the devices to another dashboard. Returns whether their documents change. */
  linkTo(dashboardUrl: string | undefined): boolean {
    if (dashboardUrl === this.#options.dashboardUrl) return false;
    this.#options = { ...this.#options, dashboardUrl };
    this.#made.clear();
    return true;
  }

  /** Returns the retained discovery message of a device. */
  messageOf<State>(device: Device<State>): RetainedMessage {
    const id = deviceId(this.#options.baseTopic, device.id);
    const from = fingerprint(device);
    const known = this.#made.get(id);
    if (known?.from === from) return known.message;
    const name = `announced/${id}`;
    const before = known?.announced ?? readJson(this.#memory, name, z.array(z.string())) ?? [];
    const { message, announced } = announce(this.#options, device, before);
    this.#memory.write(name, JSON.stringify(announced));
    this.#made.set(id, { from, message, announced });
    return message;
  }
}

/** Returns whether times of day are `time` entities: in an installation that had not announced anything when first asked. */
function hasTimeEntities({ baseTopic, daemon = null }: DiscoveryOptions, memory: KeyValue): boolean {
  const id = deviceId(baseTopic, daemon);
  const kept = readJson(memory, `time_entities/${id}`, z.boolean());
  const isNew = kept ?? memory.read(`announced/${id}`) === null;
  if (kept === null) memory.write(`time_entities/${id}`, JSON.stringify(isNew));
  return isNew;
}

/** Returns a text that changes with the device's document. Rows with the same key are identical. */
function fingerprint<State>(device: Device<State>): string {
  const rows = device.rows.map((row) => `${row.key}${existsFor(row, device) ? "+" : "-"}`);
  return JSON.stringify([device.name, device.currency, device.partOf?.id, ...rows]);
}
