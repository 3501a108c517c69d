/**
 * `dist/elbro.cjs`: runs the program beside it, by the code that V8 made of it in an earlier run.
 *
 * Node's compile cache keeps what V8 compiles when a file is loaded. A function that is called later is compiled when it
 * is called, at each start anew: nine hundred of them before the first price. So the code of the program is kept when
 * they have been called, in the folder of that cache, which is one for each version and set of flags.
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { flushCompileCache, getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { zstdDecompressSync } from "node:zlib";

/** What Node gives a module, and what has the code kept. */
type Program = (...given: [unknown, NodeJS.Require, NodeJS.Module, string, string, () => void]) => void;

/** Of this build's program, set by the build: V8 itself compares no more than the length of the source. */
declare const PROGRAM_ID: string;

/** Of a digest behind the code: in front of it, it would have V8 copy the code to where its addresses are even. */
const DIGEST_BYTES = 20;
/** Longer than the program: put together of pieces of 16 kB, it would take twice as long. */
const IN_ONE_PIECE = { chunkSize: 1024 * 1024 };

const folder = getCompileCacheDir();
const keptFile = folder === undefined ? null : join(folder, "elbro");
const kept = keptFile === null ? null : codeIn(keptFile);

const file = join(__dirname, "program.js");
const source = zstdDecompressSync(readFileSync(`${file}.zst`), IN_ONE_PIECE).toString("latin1");
const script = new Script(source, { filename: file, ...(kept ? { cachedData: kept } : {}) });
const isKept = kept !== null && !script.cachedDataRejected;
// A megabyte that nobody reads again would otherwise stay until the next full collection.
kept?.buffer.transfer(0);
const program: Program = script.runInThisContext();
program(exports, require, module, file, __dirname, keepCompiled);

/** Keeps what is compiled by now, also of the files that were loaded beside the program. */
function keepCompiled(): void {
  flushCompileCache();
  if (keptFile === null || isKept) return;
  const code = script.createCachedData();
  const unfinished = `${keptFile}.${process.pid}`;
  try {
    writeFileSync(unfinished, Buffer.concat([code, digestOf(code)]), { mode: 0o600 });
    renameSync(unfinished, keptFile);
  } catch {
    // A full or read-only disk: the next start is as slow as this one was.
    rmSync(unfinished, { force: true });
  }
}

/** The code in a file; null where there is none of this program, or not the whole: V8 would run a damaged one. */
function codeIn(path: string): Buffer<ArrayBuffer> | null {
  try {
    const bytes = readFileSync(path);
    const code = bytes.subarray(0, -DIGEST_BYTES);
    return digestOf(code).equals(bytes.subarray(-DIGEST_BYTES)) ? code : null;
  } catch {
    return null;
  }
}

function digestOf(code: Buffer): Buffer {
  return createHash("sha1").update(PROGRAM_ID).update(code).digest();
}
