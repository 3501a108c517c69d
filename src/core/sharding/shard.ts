/** Which process of several looks after an account: rendezvous hashing, so that another count moves as few as possible. */

/** One of several processes that share the accounts. */
export interface Shard {
  /** Counts from 0. */
  readonly index: number;
  readonly count: number;
}

/** More processes than any orchestrator should start on one broker; a bound for the loop below. */
export const MAX_SHARDS = 1_024;

/** The shard of an account: the one with the highest score. One shard more moves 1 of `count` accounts, all to the new one. */
export function shardOf(account: string, count: number): number {
  const own = hash(account);
  let best = 0;
  let bestScore = -1;
  for (let index = 0; index < count; index++) {
    const score = mixed(own ^ mixed(Math.imul(index + 1, GOLDEN_RATIO)));
    if (score > bestScore) [best, bestScore] = [index, score];
  }
  return best;
}

/** The shard of a configuration that was checked; null where the process is alone. */
export function shardOfConfig({
  shard,
}: {
  readonly shard?: { readonly index?: number | undefined; readonly count: number } | undefined;
}): Shard | null {
  const { index, count } = shard ?? {};
  return index === undefined || count === undefined ? null : { index, count };
}

/** Whether a shard looks after an account; a process that is no shard looks after all. */
export function isOwn(account: string, shard: Shard | null): boolean {
  return shard === null || shardOf(account, shard.count) === shard.index;
}

/** What the daemon itself is called below the base topic; null where it is no shard. */
export function shardName(shard: Shard | null): string | null {
  return shard === null ? null : `shard-${shard.index}`;
}

/** A name that stands for a shard; no home may have it. */
export const SHARD_NAME = /^shard-\d+$/;

/** 2^32 divided by the golden ratio: spreads small numbers over all bits. */
const GOLDEN_RATIO = 0x9e3779b1;

/** FNV-1a in 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}

/** The finalizer of MurmurHash3: each bit of the result depends on all bits. Shape: 0 to 2^32 - 1. */
function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
