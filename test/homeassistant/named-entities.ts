/** What the documentation names has to be what Home Assistant calls it. */
import { namedEntities } from "../support/docs/named-entities.ts";
import type { Checks } from "./checks.ts";
import { shownEntities } from "./entities.ts";
import type { HomeAssistant } from "./home-assistant.ts";

/** For a house whose home has the id that the documentation uses. */
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
