/** Command lines of this program for its owner, in the form in which it was started. */
import { existsSync } from "node:fs";

const CONTAINER_MARKS = ["/.dockerenv", "/run/.containerenv"];

/** Arguments and environment of this program. */
type Start = { readonly env: Readonly<Record<string, string | undefined>>; readonly argv: readonly string[] };

/** Returns the whole line to type for a command, such as `npm start -- keys create NAME`. */
export type CommandHint = (command: string) => string;

export const DEFAULT_HINT: CommandHint = (command) => `elbro ${command}`;

export function commandHint(start: Start): CommandHint {
  return (command) => commandLine(command, { ...start, isContainer: isContainer() });
}

/** Returns true in a container. Its addresses are not those of the machine. */
export function isContainer(): boolean {
  return CONTAINER_MARKS.some((mark) => existsSync(mark));
}

/**
 * Returns the command line for npm, for an app of Home Assistant, for a container, or for Node. Adds the data directory
 * or the configuration file if the command line or the environment sets it.
 */
export function commandLine(
  command: string,
  { env, argv, isContainer }: Start & { readonly isContainer: boolean },
): string {
  const { npm_lifecycle_event: script, ELBRO_DATA_DIR: dataDir, SUPERVISOR_TOKEN: supervised, HOSTNAME: host } = env;
  const place = dataDir === undefined ? "" : `ELBRO_DATA_DIR=${dataDir} `;
  const config = dataDir === undefined ? configOption(argv, env.ELBRO_CONFIG) : "";
  if (script === "start") return `${place}npm start -- ${command}${config}`;
  // Home Assistant's supervisor names the container of an app after its host name; before 2026.07 it began with addon_.
  if (supervised !== undefined)
    return `docker exec app_${(host ?? "local-elbro").replaceAll("-", "_")} elbro ${command}`;
  if (isContainer)
    return `docker run --rm -v VOLUME:/data IMAGE elbro ${command}     (with the volume and the image of this container)`;
  return `${place}node ${argv[1] ?? "dist/elbro.cjs"} ${command}${config}`;
}

/** Returns the option for the configuration file, which names the data directory that the command has to use. */
function configOption(argv: readonly string[], otherwise: string | undefined): string {
  const at = argv.findIndex((word) => word === "--config" || word.startsWith("--config="));
  const file = at < 0 ? otherwise : (argv[at]?.split("=")[1] ?? argv[at + 1]);
  return file === undefined ? "" : ` --config ${file}`;
}
