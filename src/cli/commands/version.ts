import { VERSION } from "../../core/status/version.ts";
import { readCommandLine } from "../arguments.ts";

const line = { usage: "version", about: "Prints the version.", takes: [] };

/** `elbro version` */
export async function main(argv: readonly string[]): Promise<number> {
  const given = readCommandLine(line, argv, process.env);
  process.stdout.write(given.kind === "help" ? given.text : `${VERSION}\n`);
  return 0;
}
