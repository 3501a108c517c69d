/** How the owner calls a command of this program the way it was started. */
import { existsSync } from "node:fs";
import path from "node:path";

/** The whole line to type: by npm, in a container, or by Node. */
export function ownCommand(command: string): string {
  const words = `${command}${configOption(process.argv)}`;
  if (process.env.npm_lifecycle_event === "start") return `npm start -- ${words}`;
  if (existsSync("/.dockerenv"))
    return `docker run --rm -v VOLUME:/data IMAGE elbro ${words}     (with the same volume and image)`;
  return `node ${path.relative(process.cwd(), process.argv[1] ?? "dist/elbro.cjs")} ${words}`;
}

/** The configuration as it was given: the command has to use the same. */
function configOption(argv: readonly string[]): string {
  const at = argv.findIndex((word) => word === "--config" || word.startsWith("--config="));
  if (at < 0) return "";
  return argv[at] === "--config" ? ` --config ${argv[at + 1] ?? ""}` : ` ${argv[at]}`;
}
