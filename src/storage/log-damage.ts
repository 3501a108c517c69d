/**
 * Damage in the middle of a write-ahead log. SQLite reads a log up to the first frame that does not fit its checksum,
 * because a power cut leaves the last transaction unfinished, and says nothing about what follows. Each commit is synced
 * before the next one begins: where more than one commit follows, it was no power cut.
 * Source: https://www.sqlite.org/fileformat2.html, 4.1 to 4.3; https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { PAGE_BYTES } from "./database.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES: number = FRAME_HEADER_BYTES + PAGE_BYTES;
const SALTS_AT = { header: 16, frame: 8 } as const;
const SALTS_BYTES = 8;
/** In the header: two sums over all that is before them. */
const SUMS_AT = 24;
/** In a frame: the size of the database after a commit; 0 in all frames but the last of a transaction. */
const COMMITTED_SIZE_AT = 4;

/** The numbers of the frames that end a transaction, from 1 on; none without a log. */
export function commitsIn(logPath: string): number[] {
  let file: number;
  try {
    file = openSync(logPath, "r");
  } catch {
    return [];
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header) < HEADER_BYTES) return [];
    const count = Math.floor((fstatSync(file).size - HEADER_BYTES) / FRAME_BYTES);
    const frame = Buffer.alloc(FRAME_HEADER_BYTES);
    let salts = isWhole(header) ? saltsOf(header, SALTS_AT.header) : null;
    const commits: number[] = [];
    for (let i = 0; i < count; i++) {
      readSync(file, frame, { position: HEADER_BYTES + i * FRAME_BYTES });
      salts ??= saltsOf(frame, SALTS_AT.frame);
      // Frames of an earlier use of the file, which are overwritten one by one, have other salts.
      if (saltsOf(frame, SALTS_AT.frame) === salts && frame.readUInt32BE(COMMITTED_SIZE_AT) > 0) commits.push(i + 1);
    }
    return commits;
  } finally {
    closeSync(file);
  }
}

function saltsOf(bytes: Buffer, at: number): string {
  return bytes.toString("hex", at, at + SALTS_BYTES);
}

/** Whether a header fits its sums; with another SQLite reads nothing of the log. */
function isWhole(header: Buffer): boolean {
  // The lowest bit of the first number gives the order of bytes in the others that are summed.
  const word = (at: number) => ((header[3] ?? 0) & 1 ? header.readUInt32BE(at) : header.readUInt32LE(at));
  let [first, second] = [0, 0];
  for (let at = 0; at < SUMS_AT; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  return header.readUInt32BE(SUMS_AT) === first && header.readUInt32BE(SUMS_AT + 4) === second;
}

/** How many commits of the log were lost with a damaged frame; `commits` as they were before the database was opened. */
export function lostCommits(database: DatabaseSync, commits: readonly number[]): number {
  if (commits.length === 0) return 0;
  const read = Number(database.prepare("pragma wal_checkpoint(passive)").get()?.log);
  const passedOver = commits.filter((frame) => frame > read).length;
  return passedOver > 1 ? passedOver : 0;
}
