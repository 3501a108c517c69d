/** Node flags and glibc settings of `npm start`, for other code that starts elbro. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { heapFlagsFor } from "../../../src/core/status/heap-size.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  readonly scripts: { readonly start: string };
};

export const NODE_FLAGS: readonly string[] = scripts.start.match(/--(?=[a-z])[a-z-]+=\d+/g) ?? [];

/** Returns the same flags with the heap size for `homes` homes. */
export function nodeFlags(homes: number): string[] {
  return heapFlagsFor(homes).split(" ");
}

export const MALLOC_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  [...scripts.start.matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
);

/** Environment of the daemon in `npm start` and the image. */
export const START_ENVIRONMENT: Readonly<Record<string, string>> = {
  NODE_OPTIONS: NODE_FLAGS.join(" "),
  ...MALLOC_SETTINGS,
};

/**
 * Folder for compiled code of started processes: without it, each would compile the program again. A killed process
 * does not write to it unless it calls `flushCompileCache`.
 */
export const COMPILE_CACHE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: path.resolve(import.meta.dirname, "../../../node_modules/.cache/tests"),
};
