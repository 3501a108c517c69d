/** List of plugs that announce themselves over MQTT, with the limits of their timers and a button to add each. */
import { useEffect, useState } from "preact/hooks";
import type { AnswerOf } from "../../api/calls.ts";
import { Button, Help } from "../elements.tsx";
import type { JsonObject } from "../forms/fields.ts";
import { type PageTools, usePage } from "../page.ts";
import { call, refusalIn } from "../store/requests.ts";
import { helpUrl } from "../words/help.ts";
import type { Translate } from "../words/language.ts";
import { EntityList } from "./entity-list.tsx";

/** Its entry is the first value of a form. */
type Announced = AnswerOf<"POST /local/v1/announced-plugs">["plugs"][number];

interface AnnouncedProps {
  readonly e: Translate<"editing">;
  /** Called with the first value of the form, and the fields that are asked for; null for all. */
  readonly onChoose: (entry: JsonObject, asks: readonly string[] | null) => void;
}

/** Ways to a plug that does not announce itself: what the form starts with, and the fields that it asks for. */
const WAYS = {
  http: { entry: { family: "shelly_gen2" }, asks: ["name", "family", "url", "password", "plan"] },
  homeassistant: { entry: { family: "homeassistant" }, asks: ["name", "entity", "plan"] },
  other: { entry: {}, asks: null },
} as const satisfies Readonly<Record<string, { entry: JsonObject; asks: readonly string[] | null }>>;
const WAY_NAMES = Object.keys(WAYS) as (keyof typeof WAYS)[];
const FOUND_ASKS = ["name", "plan"];

export function FoundPlugs({ e, onChoose }: AnnouncedProps) {
  const page = usePage();
  const [isEntity, setEntity] = useState(false);
  const [found, setFound] = useState<readonly Announced[] | string | null>(null);
  useEffect(() => {
    call("POST /local/v1/announced-plugs", {}).then(
      ({ plugs }) => setFound(plugs.filter(({ configured }) => configured === null)),
      (thrown: unknown) => {
        const { status, reason } = refusalIn(thrown);
        setFound(status === null ? page.t("no_contact_short") : reason);
      },
    );
  }, []);
  const chooseWay = (way: keyof typeof WAYS) => onChoose({ name: "", ...WAYS[way].entry }, WAYS[way].asks);
  const chooseEntity = (entry: object | null) =>
    entry ? onChoose(entry as JsonObject, FOUND_ASKS) : chooseWay("homeassistant");
  if (isEntity) return <EntityList e={e} onChoose={chooseEntity} />;
  return (
    <div class="announced" aria-busy={found === null}>
      <p class="soft" role="status">
        {found === null && e("announced_searching")}
        {typeof found === "string" && e("announced_failed", { reason: found })}
        {Array.isArray(found) && e(found.length === 0 ? "announced_none" : "announced")}
      </p>
      {Array.isArray(found) && (
        <ul class="announced-list">
          {(found as readonly Announced[]).map(({ name, model, timer, entry }) => (
            <li key={JSON.stringify(entry)}>
              <div>
                <strong>{name}</strong> <span class="faint">{model ?? String(entry.family)}</span>
                <p class="soft">{timerText(timer, e, page)}</p>
              </div>
              <Button aria-label={`${e("announced_add")}: ${name}`} onClick={() => chooseEntity(entry)}>
                {e("announced_add")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ul class="templates">
        {WAY_NAMES.map((way) => (
          <li key={way}>
            <Button onClick={() => (way === "homeassistant" ? setEntity(true) : chooseWay(way))}>
              <strong>{e(`plug_way_${way}`)}</strong>
              <span class="faint">{e(`plug_way_${way}_about`)}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Help href={helpUrl("plugs")} />
    </div>
  );
}

function timerText(
  { on, off, sure }: Announced["timer"],
  e: Translate<"editing">,
  { f: { locale } }: PageTools,
): string {
  if (!on) return e("timer_none");
  const parts = [e(sure ? "timer_sure" : "timer_unsure", { length: lengthText(on.most_seconds, locale) })];
  if (off) parts.push(e("timer_off"));
  return parts.join(" ");
}

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Returns a duration in the largest unit of which it has at least two, for instance `18 hours`. */
function lengthText(seconds: number, locale: string): string {
  const [unit, length] = STEPS.find(([, size]) => seconds >= 2 * size) ?? ["second", 1];
  const options = { style: "unit", unit, unitDisplay: "long" } as const;
  return new Intl.NumberFormat(locale, options).format(Math.floor(seconds / length));
}
