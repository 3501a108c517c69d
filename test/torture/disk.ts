/**
 * Model of a disk that loses power: records the changes of a program, and makes possible states after a power cut.
 *
 * Writes before the last fsync of a file are kept. Of later writes, any part may be kept: all, none, some in any order,
 * or half of a write. The unwritten part of a file that grew may have any content. Changes of names are kept in their
 * order, and all of them after an fsync of the folder. Sectors are written as a whole, as SQLite also assumes.
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
  /** Files as the running program sees them, by name. */
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  /** Changes of names since the last fsync of the folder. A rename consists of two changes. */
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

  /** Returns the files after a kill without a power cut. */
  files(): Map<string, Buffer> {
    return new Map([...this.#names].map(([name, { durable, pending }]) => [name, applied(durable, pending)]));
  }

  /** Returns the files in one possible state after a power cut. */
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

/** Ways to select the changes that survive, of those after the last fsync. */
const SURVIVORS: readonly Survivors[] = [
  () => [],
  (pending) => pending,
  (pending, random) => pending.slice(0, random.below(pending.length + 1)),
  (pending, random) => pending.filter(() => random.below(2) === 0),
  // The last change that survives is incomplete.
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
  // All but one of the last changes.
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

/**
 * Returns the content of a file after changes. Unwritten parts of a file that grew are zeros, or random with `random`.
 */
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
