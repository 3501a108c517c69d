/** English. Descriptions come from the schema. */
import type { FieldText, FormTexts } from "./form-texts.ts";

export const formTexts = {
  "plans[].name": { label: "Name" },
  "plans[].home": { label: "Home" },
  "plans[].kind": {
    label: "Kind",
    options: {
      window: "One run",
      slots: "Split hours",
      below: "Whenever it is cheap",
      avoid: "Always except in expensive hours",
    },
  },
  "plans[].hours": { label: "Hours" },
  "plans[].kwh": { label: "Energy per round, kWh" },
  "plans[].from": { label: "Not before" },
  "plans[].ready_by": { label: "Ready by" },
  "plans[].days": {
    label: "Days",
    options: { mon: "Mon", tue: "Tue", wed: "Wed", thu: "Thu", fri: "Fri", sat: "Sat", sun: "Sun" },
  },
  "plans[].max_price": { label: "Highest price per kWh" },
  "plans[].level": {
    label: "Price level",
    options: {
      very_cheap: "Very cheap",
      cheap: "Cheap",
      normal: "Normal",
      expensive: "Expensive",
      very_expensive: "Very expensive",
    },
  },
  "plans[].percent": { label: "Cheapest part of the day, %" },
  "plans[].fallback": { label: "Fallback hours without prices" },
  "plans[].use_forecast": { label: "Plan on estimates too" },
  "plans[].after": { label: "After the plan" },
  "plans[].enabled": { label: "Enabled" },
  "plugs[].name": { label: "Name" },
  "plugs[].family": { label: "Family" },
  "plugs[].topic": { label: "MQTT topic" },
  "plugs[].url": { label: "Address (HTTP)" },
  "plugs[].channel": { label: "Output" },
  "plugs[].plan": { label: "Plan" },
  "plugs[].home": { label: "Home" },
  "plugs[].override": {
    label: "Switched manually",
    options: { respect: "Keep until the next planned change", enforce: "Follow the plan" },
  },
  "plugs[].when_lost": { label: "When the signal is unknown", options: { on: "On", off: "Off", keep: "As it was" } },
  "plugs[].min_on": { label: "Shortest time on, minutes" },
  "plugs[].min_off": { label: "Shortest time off, minutes" },
} satisfies FormTexts;

/** Texts of a language: one that lacks a field does not compile. */
export type FormTextTable = Readonly<Record<keyof typeof formTexts, FieldText>>;
