/**
 * The ids of the third-party places, which their topics are made of. A place keeps its id permanently: whatever the order
 * of the configuration is, whatever other places come and go, and also under another name.
 */
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import { freeSlug, slugOf } from "../core/text/slug.ts";

/** A place as it is configured: by its name, and one of region, coordinates and address. */
interface Configured {
  readonly name: string;
  readonly region?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  readonly address?: string | undefined;
}

interface Named {
  readonly slug: string;
  /** Where it is: what was given there is remembered together. */
  readonly spot: string;
  /** What tells it from others at its spot. */
  readonly key: string;
}

/** The ids that were given at one spot, by key. */
type Given = Readonly<Record<string, string>>;

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

  /** The id of every place, in the order of the configuration. `homes` are ids that belong to homes: those go first. */
  list(homes: ReadonlySet<string>): string[] {
    const remembered = this.#places.map((place) => this.#remembered(place));
    const taken = new Set([...homes, ...remembered.flatMap((id) => id ?? [])]);
    const used = new Set(homes);
    return this.#places.map((place, i) => {
      const known = remembered[i] ?? null;
      const id = known !== null && !used.has(known) ? known : freeSlug(place.slug, taken);
      taken.add(id);
      used.add(id);
      this.#remember(place, id);
      return id;
    });
  }

  /** The id a place was given under its name; else the one of a name that is no longer at its spot. */
  #remembered({ spot, key }: Named): string | null {
    const given = this.#givenAt(spot);
    if (given[key] !== undefined) return given[key];
    const here = this.#places.filter((other) => other.spot === spot).map((other) => other.key);
    const left = Object.keys(given).filter((name) => !here.includes(name));
    const newcomers = here.filter((name) => given[name] === undefined);
    return given[left[newcomers.indexOf(key)] ?? ""] ?? null;
  }

  #remember({ spot, key }: Named, id: string): void {
    const given = this.#givenAt(spot);
    if (given[key] === id) return;
    const others = Object.entries(given).filter(([, other]) => other !== id);
    const next = { ...Object.fromEntries(others), [key]: id };
    this.#memory.write(nameOf(spot), JSON.stringify(next));
  }

  #givenAt(spot: string): Given {
    return readJson(this.#memory, nameOf(spot), z.record(z.string(), z.string())) ?? {};
  }
}

/** Under which the ids at a spot are remembered. */
function nameOf(spot: string): string {
  return `place/${spot}`;
}

function spotOf({ region, latitude, longitude, address }: Configured): string {
  return region ?? address ?? `${latitude} ${longitude}`;
}
