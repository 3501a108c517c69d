/** Ids of the third-party places, part of their topics. A place keeps its id even if places are moved or renamed. */
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import { freeId, slugOf } from "../core/text/slug.ts";

/** A configured place: its name, and one of region, coordinates and address. */
interface Configured {
  readonly name: string;
  readonly region?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  readonly address?: string | undefined;
}

interface Named {
  readonly slug: string;
  /** Its location. The ids of one location are stored together. */
  readonly spot: string;
  /** Distinguishes it from others at its location. */
  readonly key: string;
}

/** The ids at one location, by key. */
type Ids = Readonly<Record<string, string>>;

export class PlaceIds {
  readonly #places: readonly Named[];
  readonly #memory: KeyValue;

  constructor(places: readonly Configured[], memory: KeyValue) {
    this.#memory = memory;
    const keys = new Set<string>();
    this.#places = places.map((place) => {
      const [slug, spot] = [slugOf(place.name), spotOf(place)];
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

  #idsAt(spot: string): Ids {
    return readJson(this.#memory, nameOf(spot), z.record(z.string(), z.string())) ?? {};
  }
}

/** Returns the storage key of the ids at a location. */
function nameOf(spot: string): string {
  return `place/${spot}`;
}

function spotOf({ region, latitude, longitude, address }: Configured): string {
  return region ?? address ?? `${latitude} ${longitude}`;
}
