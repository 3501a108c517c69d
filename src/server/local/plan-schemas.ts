/** Fields of a plan that several answers have. */

import { planCodes } from "../../core/planning/plan-reason.ts";
import { planSettings } from "../../core/planning/plan-settings.ts";
import { planStates } from "../../core/planning/plan-state-machine.ts";
import {
  boolean,
  instant,
  integer,
  list,
  money,
  number,
  object,
  orNull,
  perKwh,
  type Schema,
  text,
} from "../openapi/json-schema.ts";

const savings = { against_now: orNull(money), against_mean: orNull(money) } as const;
const savingsPerKwh = object({ against_now: orNull(perKwh), against_mean: orNull(perKwh) });
const basis: Schema = { type: "string", enum: ["prices", "estimates", "fallback", "manual"] };
export const finished = object({
  start: instant,
  end: instant,
  basis,
  mean_price: orNull(perKwh),
  cost: orNull(money),
  ...savings,
  per_kwh: savingsPerKwh,
});
export const month = object({ start: instant, runs: integer, hours: number, cost: orNull(money), ...savings });
const settingValue: Schema = { type: ["string", "number", "boolean", "null"] };
const setting = object({
  value: settingValue,
  changed: { ...boolean, description: "Whether it differs from the file." },
  file: settingValue,
});

export const planned = {
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

export const statusProperties = {
  ...planned,
  last_run: orNull(finished),
  month,
  month_before: month,
  settings: object(Object.fromEntries(planSettings.map((name) => [name, setting])), ["hours"]),
} as const;
export const named = { id: text, name: text, home: text } as const;
