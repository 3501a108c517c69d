/** The flags of Node and the settings of glibc that `npm start` gives; what else starts elbro gives the same. */
import { readFileSync } from "node:fs";

const { scripts } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  readonly scripts: { readonly start: string };
};

export const NODE_FLAGS: readonly string[] = scripts.start.match(/(?<= )--[a-z-]+(?:=\d+)?(?= )/g) ?? [];

export const MALLOC_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  [...scripts.start.matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
);
