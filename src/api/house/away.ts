/** Endpoints for the holidays of homes, in which their plans do not run. */
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { endpoint } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import * as s from "../schema.ts";
import { BODY_ERRORS } from "../settings/configuration.ts";
import type { LocalSource } from "./local-source.ts";
import { commandError, settingText } from "./plan-change.ts";
import { settingChange } from "./plan-schemas.ts";

const moment = () => s.described(s.orNull(s.text), "Local date or time; null at home.");
const holidays = () =>
  s.namedObject("Holidays", {
    now: s.instant,
    homes: s.list(s.namedObject("Holiday", { home: s.text, from: moment(), until: moment() })),
  });

export const awayEndpoints = [
  endpoint("GET /local/v1/away", "listHolidays", "read", {
    summary: "The holidays of all homes with plans.",
    answer: holidays,
    run: (source, _params, { now }) => ({ kind: "json", body: holidaysAt(source, now) }),
  }),
  endpoint("POST /local/v1/away/:home", "setHoliday", "control", {
    summary: "Sets the holiday of a home: no plan of it runs then, except those of kind `avoid`.",
    params: { home: parameter.homeInPath },
    answer: holidays,
    errors: ["invalid_parameter", "resource_not_found", ...BODY_ERRORS],
    example: "/local/v1/away/home",
    body: {
      schema: () => s.named("HolidayChange", s.strictObject({ away: settingChange("away") })),
      example: { away: { from: "2026-07-04", until: "2026-07-25T16:00" } },
    },
    run(source, { home }, { now, body: { away }, caller }) {
      const done = source.plans.holidays.set(home, settingText(away) ?? "", now, caller);
      if (done.kind !== "refused") return { kind: "json", body: holidaysAt(source, now) };
      return commandError(done.why === "unknown_plan" ? "resource_not_found" : "invalid_parameter", done);
    },
  }),
];

function holidaysAt({ plans }: LocalSource, now: EpochMs) {
  const homes = [...new Set(plans.snapshots.map(({ definition }) => definition.home))];
  const all = homes.map((home) => ({ home, ...(plans.holidays.of(home) ?? { from: null, until: null }) }));
  return { now: formatInstant(now), homes: all };
}
