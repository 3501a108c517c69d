import path from "node:path";
import { build } from "rolldown";
import type { TempDir } from "../daemon/temp-dir.ts";

/**
 * A file of this folder as CommonJS, for a process that is measured: Node's reader of TypeScript is 7 MB that the garbage
 * collector walks through, and an ESM import of `node:http` another 12. Gives back its path.
 */
export async function plainScript(name: string, dir: TempDir): Promise<string> {
  const file = dir.file(`${name}.cjs`);
  const input = path.join(import.meta.dirname, `${name}.ts`);
  await build({ input, platform: "node", logLevel: "warn", output: { file, format: "cjs" } });
  return file;
}
