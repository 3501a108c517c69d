/**
 * Detects damage in the middle of a write-ahead log. SQLite reads a log up to the first frame with a wrong checksum, as
 * after a power cut, and silently ignores the rest. Each commit is synced before the next begins, so a power cut cannot
 * leave more than one commit after a wrong frame. Source: https://www.sqlite.org/fileformat2.html, 4.1 to 4.3;
 * https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
 */
import { closeSync, openSync, readSync } from "node:fs";
import { PAGE_BYTES } from "./database.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES: number = FRAME_HEADER_BYTES + PAGE_BYTES;
/** Frames read at once: 69 kB. A full log has about a thousand. */
const FRAMES_PER_READ = 128;
/** Position of the header's two checksums, which cover all bytes before them. */
const HEADER_SUMS_AT = 24;
/** Position of the size of the database after the commit; 0 in all frames except the last of a transaction. */
const COMMITTED_SIZE_AT = 4;
/** Position of two checksums that continue those of the previous frame, of the header before the salts and the page. */
const FRAME_SUMS_AT = 16;
const SALTS_AT = { header: 16, frame: 8 } as const;
const SALTS_BYTES = 8;

/** Checksums modulo 2^32. Unit: signed 32-bit integers. */
type Sums = readonly [first: number, second: number];

/** Returns the number of commits in a log that SQLite ignores because an earlier frame is damaged; 0 without a log. */
export function lostCommits(logPath: string): number {
  let file: number;
  try {
    file = openSync(logPath, "r");
  } catch {
    return 0;
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header) < HEADER_BYTES) return 0;
    const isBigEndian = ((header[3] ?? 0) & 1) === 1;
    let sums = addSums([0, 0], header.subarray(0, HEADER_SUMS_AT), isBigEndian);
    let isRead = areAt(sums, header, HEADER_SUMS_AT);
    // Frames of an earlier use of the file have other salts until they are overwritten.
    let salts = isRead ? saltsOf(header, SALTS_AT.header) : null;
    let passedOver = 0;
    for (const frame of framesIn(file)) {
      salts ??= saltsOf(frame, SALTS_AT.frame);
      const isOfThisLog = saltsOf(frame, SALTS_AT.frame) === salts;
      if (isRead) {
        sums = addSums(sums, frame.subarray(0, SALTS_AT.frame), isBigEndian);
        sums = addSums(sums, frame.subarray(FRAME_HEADER_BYTES), isBigEndian);
        isRead = isOfThisLog && areAt(sums, frame, FRAME_SUMS_AT);
      }
      if (!isRead && isOfThisLog && frame.readUInt32BE(COMMITTED_SIZE_AT) > 0) passedOver++;
    }
    return passedOver > 1 ? passedOver : 0;
  } finally {
    closeSync(file);
  }
}

/** Yields the frames of a log in order. Each is valid until the next. */
function* framesIn(file: number): Generator<Buffer> {
  const buffer = Buffer.alloc(FRAMES_PER_READ * FRAME_BYTES);
  for (let position = HEADER_BYTES; ; position += buffer.length) {
    const length = readSync(file, buffer, { position });
    for (let end = FRAME_BYTES; end <= length; end += FRAME_BYTES) yield buffer.subarray(end - FRAME_BYTES, end);
    if (length < buffer.length) return;
  }
}

function saltsOf(bytes: Buffer, at: number): string {
  return bytes.toString("hex", at, at + SALTS_BYTES);
}

function areAt([first, second]: Sums, bytes: Buffer, at: number): boolean {
  return bytes.readInt32BE(at) === first && bytes.readInt32BE(at + 4) === second;
}

function addSums([first, second]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + words.getInt32(at, !isBigEndian) + second) | 0;
    second = (second + words.getInt32(at + 4, !isBigEndian) + first) | 0;
  }
  return [first, second];
}
