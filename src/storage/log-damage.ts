/**
 * Damage in the middle of a write-ahead log. SQLite reads a log up to the first frame that does not fit its checksum,
 * because a power cut leaves the last transaction unfinished, and says nothing about what follows. Each commit is synced
 * before the next one begins: where more than one commit follows, it was no power cut.
 * Source: https://www.sqlite.org/fileformat2.html, 4.1 to 4.3; https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_SIZE_AT = 8;
const SALTS_AT = { header: 16, frame: 8 } as const;
const SALTS_BYTES = 8;
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
    const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE_AT);
    const salts = header.subarray(SALTS_AT.header, SALTS_AT.header + SALTS_BYTES);
    const count = Math.floor((fstatSync(file).size - HEADER_BYTES) / frameBytes);
    const frame = Buffer.alloc(FRAME_HEADER_BYTES);
    const commits: number[] = [];
    for (let i = 0; i < count; i++) {
      readSync(file, frame, { position: HEADER_BYTES + i * frameBytes });
      // Frames of an earlier use of the file, which are overwritten one by one, have other salts.
      const isOfThisLog = frame.subarray(SALTS_AT.frame, SALTS_AT.frame + SALTS_BYTES).equals(salts);
      if (isOfThisLog && frame.readUInt32BE(COMMITTED_SIZE_AT) > 0) commits.push(i + 1);
    }
    return commits;
  } finally {
    closeSync(file);
  }
}

/** How many commits of the log were lost with a damaged frame; `commits` as they were before the database was opened. */
export function lostCommits(database: DatabaseSync, commits: readonly number[]): number {
  if (commits.length === 0) return 0;
  const read = Number(database.prepare("pragma wal_checkpoint(passive)").get()?.log);
  const passedOver = commits.filter((frame) => frame > read).length;
  return passedOver > 1 ? passedOver : 0;
}
