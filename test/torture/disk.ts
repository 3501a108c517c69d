/**
 * A disk that loses its power: what a program wrote, cut, renamed and deleted, and what of that may be there afterwards.
 *
 * What was written before the last fsync of a file is there. Of what came later anything may be: all, nothing, a part in
 * any order, half of a write. A file that grew may hold anything where nothing of it arrived. Names change in their order,
 * and are there for certain after an fsync of their folder. Sectors are written whole, as SQLite expects of a disk too.
 */
import type { Random } from "./random.ts";

export const SECTOR_BYTES = 512;

export type Change =
  | { readonly kind: "write"; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly length: number };

type Naming = { readonly name: string; readonly inode: Inode | null };

class Inode {
  durable: Buffer = Buffer.alloc(0);
  pending: Change[] = [];
}

export class Disk {
  /** The names as the running program sees them, by path. */
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  /** Changes of names that no fsync of a folder has covered; a rename is two in one. */
  #pendingNames: (readonly Naming[])[] = [];

  create(name: string): void {
    if (!this.#names.has(name)) this.#name([{ name, inode: new Inode() }]);
  }

  change(name: string, change: Change): void {
    this.#names.get(name)?.pending.push(change);
  }

  sync(name: string): void {
    const inode = this.#names.get(name);
    if (!inode) return;
    inode.durable = applied(inode.durable, inode.pending);
    inode.pending = [];
  }

  syncNames(): void {
    this.#durableNames = new Map(this.#names);
    this.#pendingNames = [];
  }

  rename(from: string, to: string): void {
    const inode = this.#names.get(from);
    if (inode) {
      this.#name([
        { name: from, inode: null },
        { name: to, inode },
      ]);
    }
  }

  remove(name: string): void {
    this.#name([{ name, inode: null }]);
  }

  /** The files as the program left them: a kill, without a power cut. */
  files(): Map<string, Buffer> {
    return new Map([...this.#names].map(([name, { durable, pending }]) => [name, applied(durable, pending)]));
  }

  /** The files after a power cut now, in one of the ways that are possible. */
  afterPowerCut(random: Random): Map<string, Buffer> {
    const names = new Map(this.#durableNames);
    for (const step of this.#pendingNames.slice(0, random.below(this.#pendingNames.length + 1))) rename(names, step);
    const survivors = random.pick(SURVIVORS);
    return new Map(
      [...names].map(([name, { durable, pending }]) => [name, applied(durable, survivors(pending, random), random)]),
    );
  }

  #name(step: readonly Naming[]): void {
    rename(this.#names, step);
    this.#pendingNames.push(step);
  }
}

function rename(names: Map<string, Inode>, step: readonly Naming[]): void {
  for (const { name, inode } of step) {
    if (inode) names.set(name, inode);
    else names.delete(name);
  }
}

type Survivors = (pending: readonly Change[], random: Random) => readonly Change[];

/** Which of the changes after the last fsync arrived. */
const SURVIVORS: readonly Survivors[] = [
  () => [],
  (pending) => pending,
  (pending, random) => pending.slice(0, random.below(pending.length + 1)),
  (pending, random) => pending.filter(() => random.below(2) === 0),
  // The last one that arrived is torn.
  (pending, random) => {
    const arrived = pending.slice(0, random.below(pending.length + 1));
    return [
      ...arrived.slice(0, -1),
      ...arrived
        .slice(-1)
        .flatMap(inSectors)
        .filter(() => random.below(2) === 0),
    ];
  },
  (pending, random) => pending.flatMap(inSectors).filter(() => random.below(2) === 0),
  // All but one.
  (pending, random) => pending.filter((_, i, { length }) => i !== length - 1 - random.below(Math.min(length, 8))),
];

function inSectors(change: Change): Change[] {
  if (change.kind === "truncate") return [change];
  const pieces: Change[] = [];
  for (let at = 0; at < change.bytes.length; ) {
    const length = SECTOR_BYTES - ((change.offset + at) % SECTOR_BYTES);
    pieces.push({ ...change, offset: change.offset + at, bytes: change.bytes.subarray(at, at + length) });
    at += length;
  }
  return pieces;
}

/** What a file holds after changes. Where it grew and nothing was written there are zeros, or, with `random`, anything. */
function applied(before: Buffer, changes: readonly Change[], random: Random | null = null): Buffer {
  const end = changes.reduce(
    (most, change) => Math.max(most, change.kind === "write" ? change.offset + change.bytes.length : 0),
    before.length,
  );
  const bytes = Buffer.alloc(end, random?.below(4) === 0 ? random.bytes(64) : 0);
  before.copy(bytes);
  let length = before.length;
  for (const change of changes) {
    if (change.kind === "truncate") {
      if (change.length < length) bytes.fill(0, change.length, length);
      length = Math.min(end, change.length);
    } else {
      change.bytes.copy(bytes, change.offset);
      length = Math.max(length, change.offset + change.bytes.length);
    }
  }
  return bytes.subarray(0, length);
}
