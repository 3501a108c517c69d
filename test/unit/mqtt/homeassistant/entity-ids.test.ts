import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const GOLDEN = path.resolve(import.meta.dirname, "../../../golden");
const KEPT = path.join(GOLDEN, "entity-ids.json");

interface Document {
  readonly device: { readonly identifiers: readonly string[] };
  readonly components: Readonly<Record<string, { readonly unique_id: string; readonly default_entity_id: string }>>;
}

/** Returns the ids in the documents of `discovery.json`, which the golden test keeps. */
function idsNow(): string[] {
  const documents = JSON.parse(readFileSync(path.join(GOLDEN, "discovery.json"), "utf8")) as Record<string, Document>;
  return Object.values(documents).flatMap(({ device, components }) => [
    ...device.identifiers.map((id) => `device ${id}`),
    ...Object.values(components).map(({ unique_id, default_entity_id }) => `${unique_id} ${default_entity_id}`),
  ]);
}

/** Home Assistant keeps history, settings and automations by these ids. They may be added, never changed or removed. */
test("every id of a device and an entity that was ever published is still published", () => {
  const now = idsNow();
  const kept = JSON.parse(readFileSync(KEPT, "utf8")) as readonly string[];
  expect(kept.filter((id) => !now.includes(id))).toEqual([]);
  const all = [...new Set([...kept, ...now])].toSorted();
  if (process.env.GOLDEN === "update") writeFileSync(KEPT, `${JSON.stringify(all, null, 1)}\n`);
  else expect(all, "GOLDEN=update adds the new ids").toEqual(kept);
});
