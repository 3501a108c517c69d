/** Assigns accounts to processes by rendezvous hashing, so that a change of `count` moves few accounts. */
import { fnv1a } from "../text/fnv.ts";

/** One of several processes that share the accounts. */
export interface Shard {
  /** Zero-based. */
  readonly index: number;
  readonly count: number;
}

/** Maximum shards: bounds the loop in `shardOf`. More processes on one broker are not expected. */
export const MAX_SHARDS = 1_024;

/** Returns the shard of an account: the index with the highest score. One more shard takes 1 in `count` accounts. */
export function shardOf(account: string, count: number): number {
  const own = fnv1a(account);
  let best = 0;
  let bestScore = -1;
  for (let index = 0; index < count; index++) {
    const score = mixed(own ^ mixed(Math.imul(index + 1, GOLDEN_RATIO)));
    if (score > bestScore) [best, bestScore] = [index, score];
  }
  return best;
}

/** Returns the shard of a validated configuration; null if there is no sharding. */
export function shardOfConfig({
  shard,
}: {
  readonly shard?: { readonly index?: number | undefined; readonly count: number } | undefined;
}): Shard | null {
  const { index, count } = shard ?? {};
  return index === undefined || count === undefined ? null : { index, count };
}

/** Returns true if the shard owns the account. Without sharding the process owns all accounts. */
export function isOwn(account: string, shard: Shard | null): boolean {
  return shard === null || shardOf(account, shard.count) === shard.index;
}

/** Returns the daemon's own name below the base topic; null without sharding. */
export function shardName(shard: Shard | null): string | null {
  return shard === null ? null : `shard-${shard.index}`;
}

/** Names reserved for shards; a home must not use one. */
export const SHARD_NAME = /^shard-\d+$/;

/** 2^32 divided by the golden ratio: spreads small numbers over all bits. */
const GOLDEN_RATIO = 0x9e3779b1;

/** MurmurHash3 finalizer: each bit of the result depends on all input bits. Shape: 0 to 2^32 - 1. */
function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
