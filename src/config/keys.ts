/** Keys of the configuration, read from its schema: path, kind and environment variable. */
import { configSchema } from "./schema.ts";
import { FILE_SUFFIX, type Key, keysBelow } from "./schema-nodes.ts";

/** Prefix of all environment variables. */
export const PREFIX = "ELBRO_";

/** Every key that has a path of its own, sections included. Keys of list items have none. */
export const keys: readonly Key[] = keysBelow(configSchema);

/** Keys by environment variable, including the `…_file` keys of texts. */
const keysByVariable = new Map(
  keys
    .flatMap(({ path, kind }): Key[] => [
      { path, kind },
      ...(kind === "text" ? [{ path: [...path.slice(0, -1), `${path.at(-1)}${FILE_SUFFIX}`], kind }] : []),
    ])
    .map((key) => [`${PREFIX}${key.path.join("_").toUpperCase()}`, key]),
);

/** Returns the key that an environment variable sets; undefined if it does not name a key. */
export function keyOfVariable(variable: string): Key | undefined {
  return keysByVariable.get(variable);
}

export const variableNames: readonly string[] = [...keysByVariable.keys()];
