import path from "node:path";
import { build } from "rolldown";
import type { TempDir } from "../runner/temp-dir.ts";

/**
 * Compiles a file of this folder to CommonJS for a process whose memory is measured. Returns the path of the result.
 * Node's TypeScript loader would add 7 MB of heap, an ESM import of `node:http` another 12 MB.
 */
export async function plainScript(name: string, dir: TempDir): Promise<string> {
  const file = dir.file(`${name}.cjs`);
  const input = path.join(import.meta.dirname, `${name}.ts`);
  await build({ input, platform: "node", logLevel: "warn", output: { file, format: "cjs" } });
  return file;
}
