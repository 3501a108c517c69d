import { writeFileSync } from "node:fs";
import { StartError } from "../../core/status/start-error.ts";
import { errorMessage } from "../../core/text/error-words.ts";
import { OWNER_ONLY } from "../../storage/atomic-file.ts";
import { type Arguments, textArgument } from "../arguments.ts";
import { bodyOf, withConnection } from "../connect.ts";
import { printJson } from "../output.ts";

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

export async function main(given: Arguments): Promise<number> {
  const out = textArgument(given.values.out);
  const found = await withConnection(given, async ({ ask, isRunning }) => ({
    running: isRunning,
    ...bodyOf(await ask<object>("/local/v1/diagnostics")),
  }));
  if (out === undefined) printJson(found);
  else write(out, `${JSON.stringify(found, null, 2)}\n`);
  return 0;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: OWNER_ONLY });
  } catch (error) {
    throw new StartError(`cannot write ${file}: ${errorMessage(error)}`);
  }
}
