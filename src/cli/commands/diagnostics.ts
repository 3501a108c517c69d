import { writeFileSync } from "node:fs";
import { StartError } from "../../core/status/start-error.ts";
import { type Given, textOf } from "../arguments.ts";
import { bodyOf, withConnection } from "../connect.ts";

export const line = {
  usage: "diagnostics",
  about:
    "Writes a report for fault-finding as JSON: versions, the configuration without its secrets,\nproblems, age of data, quota. Read it before you send it to others.",
  options: {
    out: {
      type: "string",
      value: "FILE",
      about: "write the report to this file, readable only by you; default: the terminal",
    },
  } as const,
};

const OWNER_ONLY = 0o600;

/** `elbro diagnostics` */
export async function main(given: Given): Promise<number> {
  const out = textOf(given.values.out);
  const found = await withConnection(given, async ({ ask, isRunning }) => ({
    running: isRunning,
    ...bodyOf(await ask<object>("/local/v1/diagnostics")),
  }));
  const text = `${JSON.stringify(found, null, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else write(out, text);
  return 0;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: OWNER_ONLY });
  } catch (error) {
    throw new StartError(`cannot write ${file}: ${error instanceof Error ? error.message : "unknown error"}`);
  }
}
