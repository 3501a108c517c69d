/**
 * Simulates a worn memory card: damages bits, bytes, sectors and ends of files in the data directory, and opens it. It
 * must always open. No price may differ from the service's. If attempts are missing, a damage must be reported.
 */

import { SECTOR_BYTES } from "./disk.ts";
import { type Found, inspected, laidOut } from "./inspect.ts";
import type { Life } from "./life.ts";
import type { PartOptions, Report } from "./part.ts";
import type { Random } from "./random.ts";
import { servedPrices } from "./served.ts";

/** Every 50th damaged directory is also opened by the whole daemon. */
const DAEMON_EVERY = 50;

/** Ways to damage a file. */
const DAMAGES: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  flipped,
  flipped,
  (bytes, random) => written(bytes, random.below(bytes.length), random.bytes(1)),
  (bytes, random) => written(bytes, sectorIn(bytes, random), random.bytes(SECTOR_BYTES)),
  (bytes, random) => written(bytes, sectorIn(bytes, random), Buffer.alloc(SECTOR_BYTES)),
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  // Copies one sector over another.
  (bytes, random) => {
    const from = sectorIn(bytes, random);
    return written(bytes, sectorIn(bytes, random), bytes.subarray(from, from + SECTOR_BYTES));
  },
];

/** Opens `wanted` damaged directories. Returns their number. */
export async function flips(life: Life, wanted: number, { random }: PartOptions, report: Report): Promise<number> {
  const attempts = inspected(life.ended, life, (found) => found.attempts);
  for (let i = 0; i < wanted; i++) {
    const files = new Map(random.below(2) === 0 ? life.killed : life.ended);
    const keys = life.ended.get("keys.json");
    if (keys) files.set("keys.json", keys);
    const copy = life.ended.get("elbro.db");
    if (copy && random.below(2) === 0) files.set("elbro.db.copy", copy);
    const known = files.has("elbro.db-wal") ? 0 : attempts;
    // Mostly the database, because the other files are small.
    const name = random.below(3) > 0 ? "elbro.db" : random.pick([...files.keys()]);
    const times = random.pick([1, 1, 1, 2, 20]);
    for (let n = 0; n < times; n++) {
      const bytes = files.get(name) ?? Buffer.alloc(0);
      if (bytes.length > 0) files.set(name, random.pick(DAMAGES)(bytes, random));
    }
    const say = (fact: "lost" | "stuck", why: string) => report.broken(fact, `flip ${i} in ${name}: ${why}`);
    try {
      inspected(files, life, (found) => look(found, known, (why) => say("lost", why)));
      if (i % DAEMON_EVERY === 0) {
        using dir = laidOut(files);
        const wrong = await servedPrices(dir.file("data"), life);
        if (wrong !== null) say("lost", wrong);
      }
    } catch (error) {
      say("stuck", error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
  return wanted;
}

function look({ recovery, damages, attempts, wrong }: Found, known: number, say: (why: string) => void): void {
  if (wrong.length > 0) say(`wrong prices: ${wrong[0]}`);
  if (attempts < known && recovery === null && damages.length === 0)
    say(`${attempts} attempts of ${known}, without a report`);
}

function flipped(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  return written(bytes, at, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.below(8))]));
}

function sectorIn(bytes: Buffer, random: Random): number {
  return random.below(Math.ceil(bytes.length / SECTOR_BYTES)) * SECTOR_BYTES;
}

function written(bytes: Buffer, at: number, other: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  other.copy(changed, at);
  return changed;
}
