import { VERSION } from "../../core/status/version.ts";

export const line = { usage: "version", about: "Prints the version.", takes: [] };

/** `elbro version` */
export async function main(): Promise<number> {
  process.stdout.write(`${VERSION}\n`);
  return 0;
}
