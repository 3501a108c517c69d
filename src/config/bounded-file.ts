/** Reads files of the owner up to a maximum length: /dev/zero has no end. */
import { closeSync, openSync, readSync } from "node:fs";

/**
 * Returns the text of a file or of an open file descriptor.
 * Throws the error of the file system; with the code `EFBIG` for more than `maxBytes`.
 */
export function readBounded(file: string | number, maxBytes: number): string {
  const descriptor = typeof file === "number" ? file : openSync(file, "r");
  try {
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
  throw Object.assign(new Error(`it is longer than ${maxBytes / 1024} KiB`), { code: "EFBIG" });
}

const PIECE_BYTES = 64 * 1024;
