/** Endpoints that list, save and test plugs, and list the plugs that announce themselves over MQTT. */

import { entryId } from "../../config/entry-list.ts";
import { plansOf } from "../../config/schema/plug-schema.ts";
import type { Config } from "../../config/schema/schema.ts";
import { type Language, languageOf } from "../../core/language/language.ts";
import { message, textIn } from "../../core/language/text.ts";
import { type DeadManLimits, TRIAL_MS } from "../../core/plugs/plug-types.ts";
import { wire } from "../../core/text/wire.ts";
import { formatInstant } from "../../core/time/interval.ts";
import { localError } from "../../http/errors.ts";
import { publishedPlugState } from "../../mqtt/topics/plug-topics.ts";
import { endpoint } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import * as s from "../schema.ts";
import { changed, editByBody, editedSchema, entryBody, entryEndpoints } from "../settings/configuration.ts";

const limits = () => s.orNull(s.namedObject("PlugTimerLimits", { least_seconds: s.integer, most_seconds: s.integer }));
const timer = () =>
  s.namedObject("PlugTimer", {
    on: s.described(limits(), "Maximum length of an ON that the device ends by itself; null if it cannot."),
    off: s.described(limits(), "The same for an OFF."),
    sure: s.described(s.boolean, "Whether the timer is known to work; otherwise elbro checks it at the first run."),
  });
const month = () =>
  s.described(
    s.namedObject("PlugMonth", {
      start: s.instant,
      kwh: s.number,
      cost: s.orNull(s.money),
      currency: s.orNull(s.text),
    }),
    "Energy and cost of the month as measured; absent if the plug has measured nothing yet.",
  );
/** What the topic of a plug and its row have in common. */
export const plugStateFields = () => ({
  on: s.orNull(s.boolean),
  wanted: s.orNull(s.boolean),
  reason: s.text,
  reason_code: s.text,
  available: s.orNull(s.boolean),
  problem: s.boolean,
  since: s.orNull(s.instant),
  watts: s.optional(s.described(s.orNull(s.number), "Power that it measures; absent if it has measured nothing yet.")),
  month: s.optional(month()),
  month_before: s.optional(month()),
});
const plugSchema = () =>
  s.namedObject("Plug", {
    id: s.text,
    name: s.text,
    family: s.orNull(s.text),
    plans: s.described(s.list(s.text), "The plans it follows."),
    home: s.described(s.orNull(s.text), "The home or place whose signal it follows."),
    signal_topic: s.described(s.orNull(s.text), "The topic it follows."),
    ...plugStateFields(),
    today_kwh: s.optional(s.described(s.number, "Energy of today as measured; absent if it has measured nothing yet.")),
  });
const suggestion = (keys: string) => ({
  configured: s.described(s.orNull(s.text), "Id of the plug if it is configured already."),
  entry: s.described(s.anyObject, `Suggested entry for a new plug: ${keys}.`),
});
const announcedSchema = () =>
  s.namedObject("AnnouncedPlug", {
    name: s.text,
    model: s.orNull(s.text),
    timer: timer(),
    ...suggestion("`name`, `family`, `topic` and `channel`"),
  });

const entitySchema = () =>
  s.namedObject("SwitchableEntity", {
    entity: s.text,
    name: s.text,
    area: s.orNull(s.text),
    ...suggestion("`name`, `family`, `entity`, and `power` and `energy` if its device has such sensors"),
  });
const entitiesSchema = () =>
  s.namedObject("SwitchableEntities", {
    state: s.described(s.oneOf(["works", "fails", "not_set"]), "`not_set`: `home_assistant` is not configured."),
    detail: s.described(s.orNull(s.text), "Why the request failed, in the language of the request."),
    entities: s.list(entitySchema()),
  });
export type EntitiesAnswer = s.ValueOf<typeof entitiesSchema>;

export const plugEndpoints = [
  endpoint("GET /local/v1/plugs", "listPlugs", "read", {
    summary: "All plugs: current state, target state with reason, and the signal that they follow.",
    answer: () => s.namedObject("Plugs", { now: s.instant, plugs: s.list(plugSchema()) }),
    csv: {
      list: "plugs",
      columns: `id name family plans home signal_topic on wanted available problem reason reason_code
        since:time watts:W today_kwh:kWh month.kwh:kWh month.cost month.currency`,
    },
    run: ({ plugs, config }, _params, { now }) => {
      const { plugs: configured } = config;
      const rows = plugs.snapshots().map((snapshot) => {
        const { id, name } = snapshot;
        const setup = configured.find((plug) => entryId(plug) === id);
        const { family = null, home = null, signal_topic = null, plan } = setup ?? {};
        const today = snapshot.measured && wire({ todayKwh: plugs.todayKwh(id, now) });
        const followed = { plans: plansOf({ plan }), home, signal_topic };
        return { id, name, family, ...followed, ...publishedPlugState(snapshot), ...today };
      });
      return { kind: "json", body: { now: formatInstant(now), plugs: rows } };
    },
  }),
  endpoint("POST /local/v1/announced-plugs", "listAnnouncedPlugs", "control", {
    summary:
      "Asks for the plugs that announce themselves on the broker (Zigbee2MQTT, Tasmota, Shelly), and the abilities of their timers.",
    answer: () => s.namedObject("AnnouncedPlugs", { plugs: s.list(announcedSchema()) }),
    async run({ plugs }) {
      const announced = (await plugs.announced()).map((plug) => {
        const { name, model, configured, family, topic, channel, timers, isTimerSure } = plug;
        return {
          name,
          model,
          configured,
          timer: { on: limitsOf(timers.on), off: limitsOf(timers.off), sure: isTimerSure },
          entry: { name, family, topic, ...(channel === undefined ? {} : { channel }) },
        };
      });
      return { kind: "json", body: { plugs: announced } };
    },
  }),
  endpoint("GET /local/v1/home-assistant-entities", "listHomeAssistantEntities", "control", {
    summary: "Entities of Home Assistant that a plug can switch, with a suggested entry for each.",
    answer: entitiesSchema,
    run: async ({ config }, _params, { headers }) => ({
      kind: "json",
      body: await entitiesOf(config, languageOf(headers["accept-language"], config.language)),
    }),
  }),
  endpoint("POST /local/v1/plugs", "createPlug", "control", {
    summary: "Saves a new plug in the configuration and activates it.",
    ...editByBody,
    created: editedSchema,
    body: entryBody("plugs"),
    run: (source, _params, request) => changed(source, "plugs", null, request),
  }),
  ...entryEndpoints("plugs", "plug", "/local/v1/plugs/heater_plug"),
  endpoint("POST /local/v1/plugs/:plug/test", "testPlug", "control", {
    summary:
      "Switches a plug ON for 10 seconds; the timer in the device ends it. Rejected if the plug does not respond or its `when_lost` is ON.",
    params: { plug: parameter.plug },
    answer: () => s.namedObject("PlugTest", { id: s.text, until: s.instant }),
    errors: ["resource_not_found", "conflict"],
    example: "/local/v1/plugs/heater_plug/test",
    run({ plugs, config }, { plug }, { now, headers }) {
      const ids = plugs.snapshots().map(({ id }) => id);
      if (!ids.includes(plug))
        return localError(
          "resource_not_found",
          message("refused.no_plug", { id: plug, ids: ids.join(", ") || message("mistake.value_none") }),
        );
      const refused = plugs.tryOut(plug, now, languageOf(headers["accept-language"], config.language));
      if (refused !== null) return localError("conflict", refused);
      return { kind: "json", body: { id: plug, until: formatInstant(now + TRIAL_MS) } };
    },
  }),
];

function limitsOf(timer: DeadManLimits | null) {
  return timer && { least_seconds: timer.leastSec, most_seconds: timer.mostSec };
}

const HOME_ASSISTANT_MS = 12_000;

async function entitiesOf(
  { home_assistant: account, plugs }: Pick<Config, "home_assistant" | "plugs">,
  language: Language,
): Promise<EntitiesAnswer> {
  if (!account) return { state: "not_set", detail: null, entities: [] };
  const { switchableEntities } = await import("../../integrations/homeassistant/switchable-entities.ts");
  const { HomeAssistantError } = await import("../../integrations/homeassistant/websocket-client.ts");
  try {
    const found = await switchableEntities(account, AbortSignal.timeout(HOME_ASSISTANT_MS));
    const entities = found.map(({ entity, name, area, power, energy }) => {
      const plug = plugs.find((each) => each.entity === entity);
      const meters = { ...(power && { power: { entity: power } }), ...(energy && { energy: { entity: energy } }) };
      const entry = { name, family: "homeassistant", entity, ...meters };
      return { entity, name, area, configured: plug ? entryId(plug) : null, entry };
    });
    return { state: "works", detail: null, entities };
  } catch (error) {
    if (!(error instanceof HomeAssistantError)) throw error;
    return { state: "fails", detail: textIn(language, error.text), entities: [] };
  }
}
