/** Where the configuration is, and how it is read on this machine. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { StartError } from "../core/status/start-error.ts";
import { AccountFiles, AccountsDirError } from "./account-files.ts";
import { readBounded } from "./bounded-file.ts";
import { type ConfigTexts, readPage, readText } from "./config-texts.ts";
import { type ConfigReading, readAccount, readConfig } from "./load.ts";
import type { Config } from "./schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PATHS = ["./config/elbro.yaml", "/data/elbro.yaml"];
/** Of an app of Home Assistant: a file of the owner's own, else what is set on the app's page. */
const APP_PATHS = ["/config/elbro.yaml", "/data/options.json"];

export interface Configuration {
  readonly config: Config;
  /** The file; null without one. */
  readonly path: string | null;
  /** What is no mistake and yet not well. */
  readonly warnings: readonly string[];
}

/** Folders in which a container or a service manager puts files for secrets: who may read there is for them to say. */
const SECRET_FOLDERS = ["/run/secrets"];
/** The certificates of all public authorities are 220 kB. */
const MAX_SECRET_BYTES = 512 * 1024;
const OTHERS = 0o007;
const GROUP = 0o070;

/** Files with keys that are named one by one where other users may read them; one `chmod` fixes them all. */
const MAX_NAMED = 3;

/** The files of `accounts_dir`, to be kept for as long as the configuration is read again. */
export function openAccountFiles(): AccountFiles {
  return new AccountFiles((text) => readAccount(text, (file) => readBounded(file, MAX_SECRET_BYTES)));
}

/** The file of `given`, or the first place that has one; null without a file. */
export function configPath(given: string | null, environment: Environment): string | null {
  const paths = isAppOf(environment) ? APP_PATHS : DEFAULT_PATHS;
  return given ?? paths.find((each) => existsSync(each)) ?? null;
}

/** Where a first configuration is written: in the data directory of a container, else in the folder `config`. */
export function newConfigPath({ ELBRO_DATA_DIR }: Environment): string {
  const [usual = "", ofContainer = ""] = DEFAULT_PATHS;
  return ELBRO_DATA_DIR === dirname(ofContainer) ? ofContainer : usual;
}

/** Reads the configuration of a file; `texts` in place of what the files hold. Errors: throws a StartError for an unreadable one. */
export function readConfiguration(
  file: string | null,
  environment: Environment,
  texts: Partial<ConfigTexts> = {},
): ConfigReading {
  return readConfig({
    text: texts.file ?? (file === null ? null : readText(file)),
    environment,
    readFile: (each) => readBounded(each, MAX_SECRET_BYTES),
    secrets: secretFiles(environment),
    hostname: hostname(),
    page: (dataDir) => (texts.page === undefined ? readPage(dataDir) : texts.page),
  });
}

function isAppOf({ SUPERVISOR_TOKEN }: Environment): boolean {
  return SUPERVISOR_TOKEN !== undefined;
}

/** Reads the configuration of `given`, or of the first place that has one. Errors: throws a StartError with every mistake. */
export function loadConfiguration(
  given: string | null,
  environment: Environment,
  accountFiles: AccountFiles = openAccountFiles(),
): Configuration {
  const isApp = isAppOf(environment);
  const path = configPath(given, environment);
  const reading = readConfiguration(path, environment);
  if (reading.kind === "config") {
    const { holdsSecrets, secretFiles: named } = reading;
    const { config, secretFiles: ofAccounts } = joined(reading.config, path, accountFiles);
    const guarded = [...(path !== null && holdsSecrets ? [path] : []), ...named];
    const exposed = [...guarded.flatMap(exposureOf), ...ofAccounts.flatMap(exposureOf).slice(0, MAX_NAMED)];
    // In an app of Home Assistant there are no other users.
    return { config, path, warnings: isApp ? [] : exposed };
  }
  // The options of an app stand in one line, which its owner never sees.
  const isOptions = path?.endsWith(".json") === true;
  const lines = reading.mistakes.map(
    ({ path: where, text, line }) => `  ${where}: ${text}${line === undefined || isOptions ? "" : ` (line ${line})`}`,
  );
  throw new StartError(`the configuration${path === null ? "" : ` ${path}`} cannot be used:\n${lines.join("\n")}`);
}

function joined(config: Config, path: string | null, files: AccountFiles): ReturnType<AccountFiles["join"]> {
  try {
    return files.join(config);
  } catch (error) {
    if (!(error instanceof AccountsDirError)) throw error;
    throw new StartError(
      `the configuration${path === null ? "" : ` ${path}`} cannot be used:\n  accounts_dir: cannot read it: ${error.message}`,
    );
  }
}

/** Files that are named as variables of the configuration. systemd names its folder by CREDENTIALS_DIRECTORY. */
function secretFiles({ CREDENTIALS_DIRECTORY }: Environment): string[] {
  return [...SECRET_FOLDERS, ...(CREDENTIALS_DIRECTORY ? [CREDENTIALS_DIRECTORY] : [])].flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder).flatMap((name) => (/^elbro_/i.test(name) ? [`${folder}/${name}`] : []))
      : [],
  );
}

/**
 * What is wrong with who may read a file with secrets. Its group may where another user owns it: that is how this one
 * comes to read it.
 */
function exposureOf(file: string): string[] {
  if (process.platform === "win32") return [];
  const { mode, uid } = statSync(file);
  const exposed = mode & (uid === process.getuid?.() ? OTHERS | GROUP : OTHERS);
  return exposed === 0 ? [] : [`${file} holds a secret and other users may read it; chmod 600 ${file}`];
}
