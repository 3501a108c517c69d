/** The shapes of the answers of `/local/v1`, as JSON Schema. The tests hold every real answer against them. */

import { planActions } from "../../core/planning/plan-commands.ts";
import { planCodes } from "../../core/planning/plan-reason.ts";
import { planSettings } from "../../core/planning/plan-settings.ts";
import { planStates } from "../../core/planning/plan-state-machine.ts";
import { colors, levels } from "../../core/prices/level.ts";

export type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string" };
const boolean: Schema = { type: "boolean" };
const number: Schema = { type: "number" };
const whole: Schema = { type: "integer" };
const instant: Schema = { type: "string", format: "date-time" };
const localTime: Schema = { type: "string", pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" };
const perKwh: Schema = { type: "number", description: "Currency per kWh." };
const money: Schema = { type: "number", description: "Currency." };

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

function list(items: Schema): Schema {
  return { type: "array", items };
}

/** Every property is there; a program may rely on it. New ones may come. */
function object(properties: Readonly<Record<string, Schema>>, left: readonly string[] = []): Schema {
  return { type: "object", properties, required: Object.keys(properties).filter((name) => !left.includes(name)) };
}

const level = orNull({ type: "string", enum: levels });
const percent = orNull({ type: "integer", minimum: 0, maximum: 100, description: "Percent." });
const startAndPrice = orNull(object({ start: instant, price: perKwh }));
const figures = orNull(object({ min: perKwh, max: perKwh, mean: perKwh }));

const subject = {
  id: text,
  name: text,
  kind: { type: "string", enum: ["home", "place"] },
  region: orNull(text),
  resolution: { type: "string", enum: ["hour", "fifteenMinutes"] },
  currency: orNull(text),
  vat_included: orNull(boolean),
} as const;

const viewProperties = {
  ...subject,
  start: orNull(instant),
  end: orNull(instant),
  price: orNull(perKwh),
  estimate: orNull(boolean),
  level,
  color: orNull({ type: "string", enum: colors }),
  cheap: orNull(boolean),
  rank: orNull(whole),
  rank_of: orNull(whole),
  percentile: percent,
  percentile_30_days: percent,
  previous: startAndPrice,
  next: startAndPrice,
  day: figures,
  rest_of_day: figures,
  cheapest: list(object({ hours: number, start: instant, end: instant, mean: perKwh })),
  variable_charges: orNull(perKwh),
  spot: orNull({ ...perKwh, description: "Of a place: the spot price in it." }),
  charges: orNull({ ...perKwh, description: "Of a place: the charges in it." }),
  tomorrow_valid: boolean,
  tomorrow_mean: orNull(perKwh),
  tomorrow_published_at: orNull(instant),
  quarters_repeat_hours: boolean,
  until: { ...instant, description: "When this says something else by itself." },
} as const;
const OF_PLACES_ALONE = ["spot", "charges"];
const time = { now: instant, time_zone: text } as const;

export const nowSchema: Schema = {
  oneOf: [
    object({ ...time, homes: list(object(viewProperties, OF_PLACES_ALONE)) }),
    object({ ...time, ...viewProperties }, OF_PLACES_ALONE),
  ],
};

export const pricesSchema = object({
  ...subject,
  time_zone: text,
  from: instant,
  to: instant,
  tomorrow_valid: boolean,
  prices: list(
    object({
      start: instant,
      end: instant,
      price: perKwh,
      estimate: boolean,
      level,
      rank: orNull(whole),
      rank_of: orNull(whole),
      percentile: percent,
    }),
  ),
});

const savings = { against_now: orNull(money), against_mean: orNull(money) } as const;
const savingsPerKwh = object({ against_now: orNull(perKwh), against_mean: orNull(perKwh) });
const basis: Schema = { type: "string", enum: ["prices", "estimates", "fallback", "manual"] };
const finished = object({
  start: instant,
  end: instant,
  basis,
  mean_price: orNull(perKwh),
  cost: orNull(money),
  ...savings,
  per_kwh: savingsPerKwh,
});
const month = object({ start: instant, runs: whole, hours: number, cost: orNull(money), ...savings });
const settingValue: Schema = { type: ["string", "number", "boolean", "null"] };
const setting = object({
  value: settingValue,
  changed: { ...boolean, description: "Whether it differs from the file." },
  file: settingValue,
});

const planned = {
  on: boolean,
  state: { type: "string", enum: planStates },
  reason: text,
  code: { type: "string", enum: planCodes },
  runs: list(object({ start: instant, end: instant, basis, begun: boolean })),
  currency: orNull(text),
  mean_price: orNull(perKwh),
  cost: orNull(money),
  saving: orNull(money),
  savings: object({ ...savings, per_kwh: savingsPerKwh }),
  next_start: orNull(instant),
  next_end: orNull(instant),
} as const;

const statusProperties = {
  ...planned,
  last_run: orNull(finished),
  month,
  month_before: month,
  settings: object(Object.fromEntries(planSettings.map((name) => [name, setting])), ["hours"]),
} as const;
const named = { id: text, name: text, home: text } as const;

const planProperties = {
  ...named,
  kind: { type: "string", enum: ["window", "slots", "below", "avoid"] },
  ...statusProperties,
  kwh: orNull(number),
  days: orNull(list(text)),
  use_forecast: boolean,
  after: orNull(text),
  power_limit: orNull(text),
} as const;

export const plansSchema = object({ now: instant, plans: list(object(planProperties)) });
export const planSchema = object({
  now: instant,
  ...planProperties,
  history: object({ runs: list(finished), months: list(month) }),
});
export const signalSchema = object({ ...named, ...statusProperties });

export const cheapSchema = object({
  now: instant,
  id: text,
  name: text,
  ...planned,
  asked: object({
    kind: { type: "string", enum: ["window", "slots"] },
    hours: number,
    from: orNull(localTime),
    ready_by: orNull(localTime),
    max_price: orNull(number),
  }),
  window: orNull(object({ start: instant, end: instant })),
  until: orNull({ ...instant, description: "When this says something else by itself." }),
});

export const planChangeSchema: Schema = {
  oneOf: [
    {
      type: "object",
      description: "Settings; null takes the file's value again.",
      properties: {
        hours: { type: ["number", "string", "null"], examples: [3, "1h30m"] },
        from: orNull(localTime),
        ready_by: orNull(localTime),
        max_price: { type: ["number", "string", "null"] },
        enabled: { type: ["boolean", "string", "null"] },
      },
      additionalProperties: false,
      minProperties: 1,
    },
    {
      type: "object",
      properties: { command: { type: "string", enum: planActions } },
      required: ["command"],
      additionalProperties: false,
    },
  ],
};

const startAndValue = object({ start: instant, end: instant, value: perKwh });
const hourAndPrice = object({ hour: instant, price: perKwh });
const byInstant: Schema = { type: "object", additionalProperties: perKwh };

export const formatSchema: Schema = {
  oneOf: [
    { title: "evcc", ...list(startAndValue) },
    {
      title: "nordpool",
      ...object({
        ...{ today: list(perKwh), tomorrow: list(perKwh), tomorrow_valid: boolean },
        ...{ raw_today: list(startAndValue), raw_tomorrow: list(startAndValue), price_in_cents: boolean },
        ...{ average: orNull(perKwh), min: orNull(perKwh), max: orNull(perKwh), mean: orNull(perKwh) },
        ...{ peak: orNull(perKwh), off_peak_1: orNull(perKwh), off_peak_2: orNull(perKwh) },
      }),
    },
    {
      title: "energidataservice",
      ...object({
        raw_today: orNull(list(hourAndPrice)),
        raw_tomorrow: orNull(list(hourAndPrice)),
        forecast: list(hourAndPrice),
        tariffs: { type: "object" },
      }),
    },
    {
      title: "emhass",
      ...object({ load_cost_forecast: byInstant, prod_price_forecast: byInstant }, ["prod_price_forecast"]),
    },
    {
      title: "predbat",
      ...object({ raw_today: list(startAndValue), raw_tomorrow: list(startAndValue) }),
      maxProperties: 2,
    },
  ],
};
