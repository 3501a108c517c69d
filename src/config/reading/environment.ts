/** Keys of the configuration that are set outside of its files: by environment variables and by files of secrets. */
import { basename } from "node:path";
import { message } from "../../core/language/text.ts";
import { deletedPaths } from "../schema/old-keys.ts";
import { configSchema } from "../schema/schema.ts";
import { FILE_SUFFIX, type Key, keysBelow } from "../schema/schema-nodes.ts";
import { isTree, type Tree, valueAt } from "../tree.ts";
import { type ConfigMistake, pathText } from "./mistake.ts";
import { didYouMean, nearest } from "./suggest-key.ts";
import { readYaml, saidOf } from "./yaml-text.ts";

/** Prefix of all environment variables. */
const PREFIX = "ELBRO_";
/** Keys by environment variable, including the `…_file` keys of texts. */
const keysByVariable: ReadonlyMap<string, Key> = new Map(
  [...keysBelow(configSchema), ...deletedPaths.map((path) => ({ path, kind: "text" as const }))]
    .flatMap(({ path, kind }) =>
      [path, ...(kind === "text" ? [fileKeyOf(path)] : [])].map((each) => ({ path: each, kind })),
    )
    .map((key) => [`${PREFIX}${key.path.join("_").toUpperCase()}`, key]),
);
/** Environment variables of the daemon that are not keys of the configuration. */
const OTHER_VARIABLES = new Set(["ELBRO_CONFIG", "ELBRO_CLOCK", "ELBRO_SPEED", "ELBRO_DEMO_HOST", "ELBRO_LOG_DEFAULT"]);
/** Variables that Kubernetes and Docker set for a service whose name begins with elbro, such as elbro-api. */
const FOREIGN_VARIABLES = /^ELBRO_((.+_)?(SERVICE_(HOST|PORT)(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_.+)?)|PORT(_.+)?)$/;
/** Value of `ELBRO_API_PORT` for a service named elbro-api. */
const FOREIGN_PORT = /^(tcp|udp|sctp):/;

/** A configuration in which keys are set, and the mistakes so far. */
interface Target {
  readonly tree: Tree;
  readonly mistakes: ConfigMistake[];
  /** Environment variables, or files of secrets, by path of the key that they set. */
  readonly variables: Map<string, string>;
}

/**
 * Sets the keys of environment variables, such as `api.port` by `ELBRO_API_PORT`. Texts are used unchanged; numbers and
 * lists are read as YAML. Empty variables are ignored.
 */
export function applyEnvironment(target: Target, environment: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || OTHER_VARIABLES.has(name) || !value) continue;
    if (FOREIGN_VARIABLES.test(name) || (name.endsWith("_PORT") && FOREIGN_PORT.test(value))) continue;
    const key = keysByVariable.get(name);
    if (!key) {
      target.mistakes.push(unknownVariable(name));
      continue;
    }
    const reading = key.kind === "text" ? ({ kind: "value", value } as const) : readYaml(value);
    if (reading.kind === "value") set(target, key.path, reading.value, name);
    else target.mistakes.push({ path: name, ...saidOf(reading) });
  }
}

/**
 * Sets keys from the files of secrets, unless they are set already.
 * `/run/secrets/elbro_consumer_api_key` has the same effect as a path in `ELBRO_CONSUMER_API_KEY_FILE`.
 */
export function applySecrets(target: Target, files: readonly string[]): void {
  for (const file of files) {
    const key = keysByVariable.get(`${basename(file)}${FILE_SUFFIX}`.toUpperCase());
    if (!key) continue;
    const section = valueAt(target.tree, key.path.slice(0, -1));
    const fileName = key.path.at(-1) ?? "";
    const name = fileName.slice(0, -FILE_SUFFIX.length);
    const isSet = isTree(section) && (section[name] ?? section[fileName] ?? null) !== null;
    if (!isSet) set(target, key.path, file, file);
  }
}

/**
 * Reads `ELBRO_SHARD`: `3/8` is index 3 of 8.
 * The default index is the number at the end of the host name, as in a pod of a StatefulSet.
 */
export function applyShard(tree: Tree, hostname = ""): void {
  const [, index, count] = typeof tree.shard === "string" ? (/^(\d+)\/(\d+)$/.exec(tree.shard) ?? []) : [];
  if (count !== undefined) tree.shard = { index: Number(index), count: Number(count) };
  const [, ordinal] = /-(\d+)$/.exec(hostname.split(".")[0] ?? "") ?? [];
  const { shard } = tree;
  if (isTree(shard) && (shard.index ?? null) === null && ordinal !== undefined) shard.index = Number(ordinal);
}

function unknownVariable(name: string): ConfigMistake {
  const meant = nearest(
    name.slice(PREFIX.length),
    [...keysByVariable.keys()].map((known) => known.slice(PREFIX.length)),
  );
  return { path: name, ...message("mistake.key", { hint: didYouMean(meant && `${PREFIX}${meant}`) }) };
}

function fileKeyOf(path: readonly string[]): readonly string[] {
  return path.with(-1, `${path.at(-1)}${FILE_SUFFIX}`);
}

/** Sets a key, and removes its other form in the file: the value or the name of a file. */
function set({ tree, mistakes, variables }: Target, path: readonly string[], value: unknown, variable: string): void {
  let node = tree;
  for (const [i, key] of path.slice(0, -1).entries()) {
    const below = node[key] ?? {};
    if (!isTree(below)) {
      const found = message(Array.isArray(below) ? "mistake.kind_list" : "mistake.value_any");
      const facts = { path: pathText(path.slice(0, i + 1)), found };
      mistakes.push({ path: variable, ...message("mistake.cannot_set", facts) });
      return;
    }
    node[key] = below;
    node = below;
  }
  const key = path.at(-1) ?? "";
  const twin = key.endsWith(FILE_SUFFIX) ? [...path.slice(0, -1), key.slice(0, -FILE_SUFFIX.length)] : fileKeyOf(path);
  if (!variables.has(pathText(twin))) delete node[twin.at(-1) ?? ""];
  node[key] = value;
  variables.set(pathText(path), variable);
}
