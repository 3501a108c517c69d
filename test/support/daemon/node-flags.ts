/** The flags of Node and the settings of glibc that `npm start` gives; what else starts elbro gives the same. */
import { readFileSync } from "node:fs";
import { heapFlagsFor } from "../../../src/core/status/heap-size.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  readonly scripts: { readonly start: string };
};

export const NODE_FLAGS: readonly string[] = scripts.start.match(/--(?=[a-z])[a-z-]+=\d+/g) ?? [];

/** The same with the heap that so many homes need. */
export function nodeFlags(homes: number): string[] {
  return heapFlagsFor(homes).split(" ");
}

export const MALLOC_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  [...scripts.start.matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
);
