/** Reads files of the owner up to a maximum length: a file that grows, or one that was named by mistake. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type Message, message, TextError } from "../../core/language/text.ts";

/** Error for a file that is too long or not a regular file. */
class UnusableFile extends TextError {}

/** Returns why a file cannot be read. */
export function whyUnread(error: unknown): Message {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return message("mistake.why_missing");
  if (code === "EACCES" || code === "EPERM") return message("mistake.why_forbidden");
  if (code === "EISDIR") return message("mistake.why_folder");
  if (error instanceof UnusableFile && typeof error.text === "object") return error.text;
  return message("mistake.why_system", { code: typeof code === "string" ? code : message("mistake.why_no_code") });
}

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
      throw new UnusableFile(message("mistake.why_not_regular"));
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
  throw new UnusableFile(message("mistake.why_long", { most: maxBytes / 1024 }));
}

const PIECE_BYTES = 64 * 1024;
