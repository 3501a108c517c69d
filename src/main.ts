/** `elbro`: finds the command. The daemon is part of this program; every other command is loaded on use. */
import { BadArgument, type Command, commandIn, readCommandLine } from "./cli/arguments.ts";
import * as run from "./cli/commands/run.ts";
import { BAD_CONFIGURATION, TRY_AGAIN } from "./cli/process-end.ts";
import { nearest } from "./config/reading/suggest-key.ts";
import { PassingStartError, StartError } from "./core/status/start-error.ts";
import { VERSION } from "./core/status/version.ts";
import { IMPORT_COMMAND, importForUpload } from "./storage/recovery/import-copy.ts";

// Node would print the source line of the error, which has 100 kB in the built program.
process.on("uncaughtException", (error) => {
  if (run.outlives(error)) return;
  const what = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`elbro stops because of an internal error; please report this: ${what}\n`);
  process.exit(1);
});

// The reader of a pipe may end first, as in `elbro prices | head -1`. What it does not read is dropped.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

main().catch((error: unknown) => {
  if (!(error instanceof StartError || error instanceof BadArgument)) throw error;
  process.stderr.write(`elbro: ${error.message}\n`);
  process.exit(error instanceof PassingStartError ? TRY_AGAIN : BAD_CONFIGURATION);
});

async function main(): Promise<void> {
  const { name, rest } = commandIn(process.argv.slice(2));
  if (name === null && (rest.includes("--version") || rest.includes("-v")))
    return void process.stdout.write(`${VERSION}\n`);
  if (name === IMPORT_COMMAND) return void process.stdout.write(importForUpload(rest));
  if (name === "run" || (name === null && !rest.includes("--help") && !rest.includes("-h"))) return act(run, rest);
  const { commands, generalHelp } = await import("./cli/commands/command-table.ts");
  if (name === null || (name === "help" && rest.length === 0)) return void process.stdout.write(generalHelp());
  const [wanted = "", given] = name === "help" ? [rest[0], ["--help"]] : [name, rest];
  const command = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined;
  if (command) return act(await command.load(), given);
  const names = Object.keys(commands);
  const meant = nearest(wanted, names);
  const hint = meant === null ? `expected one of ${names.join(", ")}, or see elbro --help` : `did you mean ${meant}?`;
  throw new BadArgument(`unknown command "${wanted}"; ${hint}`);
}

async function act(command: Command, argv: readonly string[]): Promise<void> {
  const given = readCommandLine(command.line, argv, process.env);
  if (given.kind === "help") process.stdout.write(given.text);
  else process.exitCode = await command.main(given);
}
