/** Ids of the third-party places, part of their topics. A place keeps its id even if places are moved or renamed. */
import * as z from "zod/mini";
import type { Config } from "../../config/schema/schema.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { freeId, slugOf } from "../../core/text/slug.ts";

/** A configured place: its name, and one of region, coordinates and address. */
export type ConfiguredPlace = NonNullable<Config["third_party"]>["places"][number];

interface Named {
  readonly slug: string;
  /** Its location. The ids of one location are stored together. */
  readonly spot: string;
  /** Distinguishes it from others at its location. */
  readonly key: string;
}

export class PlaceIds {
  readonly #places: readonly Named[];
  readonly #memory: KeyValue;

  constructor(places: readonly ConfiguredPlace[], memory: KeyValue) {
    this.#memory = memory;
    const keys = new Set<string>();
    this.#places = places.map((place) => {
      const { name, region, latitude, longitude, address } = place;
      const [slug, spot] = [slugOf(name), region ?? address ?? `${latitude} ${longitude}`];
      let key = slug;
      for (let n = 2; keys.has(`${spot} ${key}`); n++) key = `${slug} ${n}`;
      keys.add(`${spot} ${key}`);
      return { slug, spot, key };
    });
  }

  /** Returns the ids in the order of the configuration. Ids of `homes` take precedence. */
  list(homes: ReadonlySet<string>): string[] {
    const remembered = this.#places.map((place) => this.#remembered(place));
    const reserved = new Set([...homes, ...remembered.flatMap((id) => id ?? [])]);
    const used = new Set(homes);
    return this.#places.map((place, i) => {
      const known = remembered[i] ?? null;
      const id = known !== null && !used.has(known) ? known : freeId(place.slug, reserved);
      reserved.add(id);
      used.add(id);
      this.#remember(place, id);
      return id;
    });
  }

  /** Returns the stored id of a place. A new name takes the id of a name that was removed at the same location. */
  #remembered({ spot, key }: Named): string | null {
    const ids = this.#idsAt(spot);
    if (ids[key] !== undefined) return ids[key];
    const here = this.#places.filter((other) => other.spot === spot).map((other) => other.key);
    const left = Object.keys(ids).filter((name) => !here.includes(name));
    const newcomers = here.filter((name) => ids[name] === undefined);
    return ids[left[newcomers.indexOf(key)] ?? ""] ?? null;
  }

  #remember({ spot, key }: Named, id: string): void {
    const ids = this.#idsAt(spot);
    if (ids[key] === id) return;
    const others = Object.entries(ids).filter(([, other]) => other !== id);
    const next = { ...Object.fromEntries(others), [key]: id };
    this.#memory.write(nameOf(spot), JSON.stringify(next));
  }

  #idsAt(spot: string): Readonly<Record<string, string>> {
    return readJson(this.#memory, nameOf(spot), z.record(z.string(), z.string())) ?? {};
  }
}

function nameOf(spot: string): string {
  return `place/${spot}`;
}
