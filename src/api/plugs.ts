/** Endpoints that list, save and test plugs, and list the plugs that announce themselves over MQTT. */

import { entryId } from "../config/entry-list.ts";
import { plansOf } from "../config/plug-schema.ts";
import { languageOf } from "../core/language/language.ts";
import { message } from "../core/language/text.ts";
import { type DeadManLimits, TRIAL_MS } from "../core/plugs/plug-types.ts";
import { formatInstant } from "../core/time/interval.ts";
import { localError } from "../http/errors.ts";
import { plugState } from "../mqtt/topics/plug-topics.ts";
import { BODY_ERRORS, changed, EDIT_ERRORS, editedSchema, entryBody, entryEndpoints } from "./configuration.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import * as parameter from "./parameters.ts";
import {
  anyObject,
  boolean,
  described,
  instant,
  integer,
  list,
  money,
  named,
  number,
  object,
  optional,
  orNull,
  text,
} from "./schema.ts";

const limits = () => orNull(named("PlugTimerLimits", object({ least_seconds: integer, most_seconds: integer })));
const timer = () =>
  named(
    "PlugTimer",
    object({
      on: described(limits(), "Maximum length of an ON that the device ends by itself; null if it cannot."),
      off: described(limits(), "The same for an OFF."),
      sure: described(boolean, "Whether the timer is known to work; otherwise elbro checks it at the first run."),
    }),
  );
const month = () =>
  described(
    named("PlugMonth", object({ start: instant, kwh: number, cost: orNull(money), currency: orNull(text) })),
    "Energy and cost of the month as measured; absent if the plug has measured nothing yet.",
  );
/** What the topic of a plug and its row have in common. */
export const plugStateFields = () => ({
  on: orNull(boolean),
  wanted: orNull(boolean),
  reason: text,
  reason_code: text,
  available: orNull(boolean),
  problem: boolean,
  since: orNull(instant),
  watts: optional(described(orNull(number), "Power that it measures; absent if it has measured nothing yet.")),
  month: optional(month()),
  month_before: optional(month()),
});
const plugSchema = () =>
  named(
    "Plug",
    object({
      id: text,
      name: text,
      family: orNull(text),
      plans: described(list(text), "The plans it follows."),
      home: described(orNull(text), "The home or place whose signal it follows."),
      signal_topic: described(orNull(text), "The topic it follows."),
      ...plugStateFields(),
    }),
  );
const announcedSchema = () =>
  named(
    "AnnouncedPlug",
    object({
      name: text,
      model: orNull(text),
      timer: timer(),
      configured: described(orNull(text), "Id of the plug if it is configured already."),
      entry: described(anyObject, "Suggested entry for a new plug: `name`, `family`, `topic` and `channel`."),
    }),
  );

export const plugEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/local/v1/plugs",
    operationId: "listPlugs",
    scope: "read",
    summary: "All plugs: current state, target state with reason, and the signal that they follow.",
    answer: () => named("Plugs", object({ now: instant, plugs: list(plugSchema()) })),
    csv: {
      list: "plugs",
      columns: {
        ...{ id: "", name: "", family: "", plans: "", home: "", signal_topic: "", on: "", wanted: "", available: "" },
        ...{ problem: "", reason: "", reason_code: "", since: "time", watts: "W" },
        ...{ "month.kwh": "kWh", "month.cost": "", "month.currency": "" },
      },
    },
    errors: [],
    example: "/local/v1/plugs",
    run: ({ plugs, config }, _params, { now }) => {
      const { plugs: configured } = config;
      const shown = plugs.snapshots().map((snapshot) => {
        const { id, name } = snapshot;
        const setup = configured.find((plug) => entryId(plug) === id);
        const { family = null, home = null, signal_topic = null, plan } = setup ?? {};
        return { id, name, family, plans: plansOf({ plan }), home, signal_topic, ...plugState(snapshot) };
      });
      return { kind: "json", body: { now: formatInstant(now), plugs: shown } };
    },
  }),
  endpoint({
    method: "GET",
    path: "/local/v1/announced-plugs",
    operationId: "listAnnouncedPlugs",
    scope: "read",
    summary:
      "Plugs that announce themselves on the broker (Zigbee2MQTT, Tasmota, Shelly), and the abilities of their timers.",
    answer: () => named("AnnouncedPlugs", object({ plugs: list(announcedSchema()) })),
    errors: [],
    example: "/local/v1/announced-plugs",
    async run({ plugs }) {
      const announced = (await plugs.announced()).map((plug) => {
        const { name, model, configured, family, topic, channel, timers, isTimerSure } = plug;
        return {
          ...{ name, model, configured },
          timer: { on: limitsOf(timers.on), off: limitsOf(timers.off), sure: isTimerSure },
          entry: { name, family, topic, ...(channel === undefined ? {} : { channel }) },
        };
      });
      return { kind: "json", body: { plugs: announced } };
    },
  }),
  endpoint({
    method: "POST",
    path: "/local/v1/plugs",
    operationId: "createPlug",
    scope: "control",
    summary: "Saves a new plug in the configuration and activates it.",
    answer: editedSchema,
    created: editedSchema,
    errors: [...EDIT_ERRORS, ...BODY_ERRORS],
    example: "/local/v1/plugs",
    body: entryBody("plugs"),
    run: (source, _params, request) => changed(source, "plugs", null, request),
  }),
  ...entryEndpoints("plugs", "plug", "/local/v1/plugs/heater_plug"),
  endpoint({
    method: "POST",
    path: "/local/v1/plugs/:plug/test",
    operationId: "testPlug",
    scope: "control",
    summary:
      "Switches a plug ON for 10 seconds; the timer in the device ends it. Rejected if the plug does not respond or its `when_lost` is ON.",
    params: { plug: parameter.plug },
    answer: () => named("PlugTest", object({ id: text, until: instant })),
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

function limitsOf(given: DeadManLimits | null) {
  return given && { least_seconds: given.leastSec, most_seconds: given.mostSec };
}
