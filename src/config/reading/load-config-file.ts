/** Finds the configuration and reads it on this machine. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { basename } from "node:path";
import { type Message, message, textIn } from "../../core/language/text.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import { asStartError, StartError } from "../../core/status/start-error.ts";
import { expressionWarnings } from "../plug-warnings.ts";
import type { Config } from "../schema/schema.ts";
import { AccountFiles, AccountsDirError } from "./account-files.ts";
import { readBounded } from "./bounded-file.ts";
import { type ConfigTexts, readConfigText, readOverlayText } from "./config-texts.ts";
import { type ConfigReading, type OverlayUse, readAccount, readConfig } from "./load.ts";
import { mistakeAt } from "./mistake.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PATHS = ["./config/elbro.yaml", "/data/elbro.yaml"];
/** Paths in an app of Home Assistant: a file of the owner, otherwise the options of the app's page. */
const APP_PATHS = ["/config/elbro.yaml", "/data/options.json"];

export interface Configuration {
  readonly config: Config;
  /** The file; null if the configuration has no file. */
  readonly path: string | null;
  /** Texts about problems that do not prevent the use of the configuration. */
  readonly warnings: readonly string[];
  /** Files of the certificates of elbro's own servers. */
  readonly tlsFiles: readonly string[];
}

/** Folders of secrets whose files and permissions a container or a service manager sets. */
const SECRET_FOLDERS = ["/run/secrets"];
/** Longest secret file in bytes. The certificates of all public authorities take 220 kB. */
const MAX_SECRET_BYTES = 512 * 1024;
const OTHERS = 0o007;
const GROUP = 0o070;

/** Maximum number of homes of one process that is measured. */
const MAX_MEASURED = 100;
/** Maximum number of account files that are named because other users may read them. One `chmod` fixes them all. */
const MAX_NAMED = 3;

/** Returns the files of `accounts_dir`. Keep the object for as long as the configuration is read again. */
export function openAccountFiles(): AccountFiles {
  return new AccountFiles((text) => readAccount(text, (file) => readBounded(file, MAX_SECRET_BYTES)));
}

/** Returns `chosen`, or the first default path that exists; null if all are missing. */
export function configPath(chosen: string | null, environment: Environment): string | null {
  const paths = isAppOf(environment) ? APP_PATHS : DEFAULT_PATHS;
  return chosen ?? paths.find((each) => existsSync(each)) ?? null;
}

/**
 * Reads the configuration of a file. `texts` replace the contents of the files.
 * Throws a StartError for an unreadable file.
 */
export function readConfiguration(
  file: string | null,
  environment: Environment,
  texts: Partial<ConfigTexts> = {},
): ConfigReading {
  return readConfig({
    text: texts.file ?? (file === null ? null : readConfigText(file)),
    environment,
    readFile: (each) => readBounded(each, MAX_SECRET_BYTES),
    secrets: secretFiles(environment),
    hostname: hostname(),
    overlay: (dataDir) => (texts.overlay === undefined ? readOverlayText(dataDir) : texts.overlay),
  });
}

function isAppOf({ SUPERVISOR_TOKEN }: Environment): boolean {
  return SUPERVISOR_TOKEN !== undefined;
}

/**
 * Reads the configuration of `chosen`, or of the first default path that exists.
 * Throws a StartError that lists every mistake.
 */
export function loadConfiguration(
  chosen: string | null,
  environment: Environment,
  accountFiles: AccountFiles = openAccountFiles(),
): Configuration {
  try {
    return loadFrom(configPath(chosen, environment), environment, accountFiles);
  } catch (error) {
    throw asStartError(error, message("start.config_unreadable"));
  }
}

function loadFrom(path: string | null, environment: Environment, accountFiles: AccountFiles): Configuration {
  const isApp = isAppOf(environment);
  const reading = readConfiguration(path, environment);
  if (reading.kind === "config") {
    const { holdsSecrets, secretFiles: named, tlsFiles, deleted } = reading;
    const { config, secretFiles: ofAccounts } = joined(reading.config, path, accountFiles);
    const guarded = [...(path !== null && holdsSecrets ? [path] : []), ...named];
    const exposed = [...guarded.flatMap(exposureOf), ...ofAccounts.flatMap(exposureOf).slice(0, MAX_NAMED)];
    // An app of Home Assistant has no other users.
    const old = [...deleted, ...expressionWarnings(config.plugs)];
    const warnings = [
      ...old,
      ...sizeWarnings(config),
      ...overlayNotes(reading.overlay, path),
      ...(isApp ? [] : exposed),
    ];
    return { config, path, warnings, tlsFiles };
  }
  // The options of an app are on one line, which the owner never sees.
  const isOptions = path?.endsWith(".json") === true;
  const mistakes = reading.mistakes.map(({ line, ...mistake }) => {
    return mistakeAt(line === undefined || isOptions ? mistake : { ...mistake, line });
  });
  throw unusable(
    path,
    mistakes.reduceRight((other, first) => message("start.two_lines", { first, other })),
  );
}

/** Returns a warning about more accounts than one process serves well. */
export function sizeWarnings({ consumer = [] }: Pick<Config, "consumer">): string[] {
  const { length } = [consumer].flat();
  if (length <= MAX_MEASURED) return [];
  return [
    `${length} accounts: a process serves up to ${MAX_MEASURED} homes; share more between shards (docs/fleet.md)`,
  ];
}

function unusable(path: string | null, mistakes: Message): StartError {
  return new StartError(message("start.config_mistakes", { path: path === null ? "" : ` ${path}`, mistakes }));
}

/** Returns what page.yaml changes in the owner's configuration, and what of it is not used. */
function overlayNotes({ overridden, unused, gone, mistakes, lost }: OverlayUse, file: string | null): string[] {
  const owner = file === null ? "the configuration" : basename(file);
  return [
    ...(overridden.length > 0 ? [`${OVERLAY_FILE} overrides ${owner}: ${overridden.join(", ")}`] : []),
    ...(unused.length > 0
      ? [`${OVERLAY_FILE}: ${unused.join(", ")} is not used, because the environment or another file sets it`]
      : []),
    ...gone.map((path) => `${OVERLAY_FILE}: ${path} removes an entry that does not exist any more`),
    ...[...mistakes, ...lost].map((mistake) => `${textIn("en", mistakeAt(mistake))}; it is not used`),
  ];
}

function joined(config: Config, path: string | null, files: AccountFiles): ReturnType<AccountFiles["join"]> {
  try {
    return files.join(config);
  } catch (error) {
    if (!(error instanceof AccountsDirError)) throw error;
    throw unusable(path, message("start.accounts_unread", { why: error.message }));
  }
}

/**
 * Returns the files that are named like variables of the configuration. systemd sets CREDENTIALS_DIRECTORY to its
 * folder.
 */
function secretFiles({ CREDENTIALS_DIRECTORY }: Environment): string[] {
  return [...SECRET_FOLDERS, ...(CREDENTIALS_DIRECTORY ? [CREDENTIALS_DIRECTORY] : [])].flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder).flatMap((name) => (/^elbro_/i.test(name) ? [`${folder}/${name}`] : []))
      : [],
  );
}

/**
 * Returns a warning if other users may read a file with secrets.
 * If another user owns the file, its group may read it, because this process may read it as a member of the group.
 */
function exposureOf(file: string): string[] {
  if (process.platform === "win32") return [];
  const { mode, uid } = statSync(file);
  const exposed = mode & (uid === process.getuid?.() ? OTHERS | GROUP : OTHERS);
  return exposed === 0 ? [] : [`${file} holds a secret and other users can read it; run: chmod 600 ${file}`];
}
