/** Entity ids in the documentation, the snippets and the blueprints. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const FILES = ["README.md", "docs/*.md", "config/home-assistant/**/*.{md,yaml}", "config/snippets/*"];
/** Excludes ids followed by `<`, a placeholder for the reader. */
const ENTITY_ID = /\b(?:sensor|binary_sensor|number|text|switch|button|select)\.[a-z0-9_]+\b(?!<)/g;
/** Home Assistant actions, which look like entity ids. */
const ACTION = /\.(?:turn_on|turn_off|toggle|set_value|press|select_option)$/;
/** Entities of other devices, in examples of plugs. */
const OF_OTHERS = /^(?:switch\.washer|number\.charger_limit|sensor\.(?:washer|lake)_(?:power|energy))$/;

export type NamedEntity = { readonly id: string; readonly file: string };

/** Returns each entity id once per file. */
export function namedEntities(): NamedEntity[] {
  return globSync(FILES, { cwd: ROOT }).flatMap((file) => {
    const ids = readFileSync(path.join(ROOT, file), "utf8").match(ENTITY_ID) ?? [];
    return [...new Set(ids)].filter((id) => !ACTION.test(id) && !OF_OTHERS.test(id)).map((id) => ({ id, file }));
  });
}
