/** List of the entities of Home Assistant that a plug can switch, with a search and a button to add each. */

import { useEffect, useState } from "preact/hooks";
import type { EntitiesAnswer } from "../../api/house/plugs.ts";
import { Button } from "../elements.tsx";
import { LabelledInput } from "../labelled-input.tsx";
import { usePage } from "../page.ts";
import { addressOf } from "../route.ts";
import { call, refusalIn } from "../store/requests.ts";
import type { Translate } from "../words/language.ts";

type Entity = EntitiesAnswer["entities"][number];

/** Entities that are shown at once; a search finds the others. */
const SHOWN = 20;

interface EntityListProps {
  readonly e: Translate<"editing">;
  /** Called with the entry of the plug; null for an entity that is typed. */
  readonly onChoose: (entry: Entity["entry"] | null) => void;
}

export function EntityList({ e, onChoose }: EntityListProps) {
  const { t } = usePage();
  const [answer, setAnswer] = useState<EntitiesAnswer | null>(null);
  const [search, setSearch] = useState("");
  useEffect(() => {
    call("GET /local/v1/home-assistant-entities", {}).then(setAnswer, (thrown: unknown) => {
      const { status, reason } = refusalIn(thrown);
      setAnswer({ state: "fails", detail: status === null ? t("no_contact_short") : reason, entities: [] });
    });
  }, []);
  const { state = "works", detail = "", entities = [] } = answer ?? {};
  const free = entities.filter(({ configured }) => configured === null);
  const found = matching(free, search);
  const more = found.length - SHOWN;
  return (
    <div class="announced" aria-busy={answer === null}>
      <p class="soft" role="status">
        {answer === null && e("entities_searching")}
        {answer && state === "works" && e(free.length === 0 ? "entities_none" : "entities", { count: found.length })}
        {state === "fails" && e("entities_failed", { reason: detail ?? "" })}
        {state === "not_set" && e("entities_not_set")}
      </p>
      {state !== "works" && (
        <a class="button" href={addressOf("system", "setting-home_assistant")}>
          {e("entities_connect")}
        </a>
      )}
      {free.length > 0 && (
        <LabelledInput
          id="entity-search"
          label={e("entities_search")}
          type="search"
          value={search}
          onText={setSearch}
          onKeyDown={({ key }) => key === "Enter" && found[0] && onChoose(found[0].entry)}
        />
      )}
      <ul class="announced-list">
        {found.slice(0, SHOWN).map(({ entity, name, area, entry }) => (
          <li key={entity}>
            <div>
              <strong>{name}</strong> <span class="faint">{[area, entity].filter(Boolean).join(" · ")}</span>
              {entry.power !== undefined && <p class="soft">{e("entities_measures")}</p>}
            </div>
            <Button aria-label={`${e("announced_add")}: ${name}`} onClick={() => onChoose(entry)}>
              {e("announced_add")}
            </Button>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="faint">{e("entities_more", { count: more })}</p>}
      <Button class="quiet" onClick={() => onChoose(null)} text={e("entities_by_hand")} />
    </div>
  );
}

/** Returns the entities whose name, area or id contains each of the words. */
function matching(entities: readonly Entity[], search: string): readonly Entity[] {
  const words = search.toLowerCase().split(" ");
  return entities.filter(({ name, area, entity }) => {
    const text = `${name} ${area ?? ""} ${entity}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
