/** Checks that the entity ids in the documentation exist in Home Assistant. */
import { namedEntities } from "../support/docs/named-entities.ts";
import type { Checks } from "./checks.ts";
import { shownEntities } from "./entities.ts";
import type { HomeAssistant } from "./home-assistant.ts";

/** Checks every id. The home has the same id as in the documentation. */
export async function checkNamedEntities(checks: Checks, home: HomeAssistant): Promise<void> {
  await checks.check("every entity id in documentation, snippets and blueprints is in the registry", async () => {
    const registry = new Set([...(await shownEntities(home)).values()].map(({ entityId }) => entityId));
    const named = namedEntities();
    const wrong = named.filter(({ id }) => !registry.has(id)).map(({ id, file }) => `${id} in ${file}`);
    if (named.length === 0) throw new Error("no entity id was found");
    if (wrong.length > 0) throw new Error(wrong.join(", "));
    return `${named.length} ids`;
  });
}
