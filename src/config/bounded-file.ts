/** Reads files of the owner up to a maximum length: a file that grows, or one that was named by mistake. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Error for a file that is too long or not a regular file. */
export class UnusableFile extends Error {}

/**
 * Returns the text of a regular file or of an open file descriptor. Throws the error of the file system, or an
 * UnusableFile. A pipe is refused at once: without O_NONBLOCK, opening one would stop the daemon until somebody writes.
 */
export function readBounded(file: string | number, maxBytes: number): string {
  const descriptor = typeof file === "number" ? file : openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    // Reading a folder throws the error of the file system.
    if (typeof file === "string" && !stats.isFile() && !stats.isDirectory())
      throw new UnusableFile("it is not a regular file");
    const pieces: Buffer[] = [];
    for (let length = 0; length <= maxBytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, maxBytes + 1 - length));
      const read = readSync(descriptor, piece);
      if (read === 0) return Buffer.concat(pieces).toString("utf8");
      pieces.push(piece.subarray(0, read));
      length += read;
    }
  } finally {
    if (typeof file === "string") closeSync(descriptor);
  }
  throw new UnusableFile(`it is longer than ${maxBytes / 1024} KiB`);
}

const PIECE_BYTES = 64 * 1024;
