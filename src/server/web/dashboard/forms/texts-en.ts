/** English. Descriptions are in the schema. */
import type { FieldText, FormTexts } from "./form-texts.ts";

export const formTexts = {
  "plans[].name": { label: "Name" },
  "plans[].home": { label: "Home" },
  "plans[].kind": {
    label: "Kind",
    options: {
      window: "One run",
      slots: "Hours in pieces",
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
  "plans[].fallback": { label: "Hours without prices" },
  "plans[].use_forecast": { label: "Plan on estimates too" },
  "plans[].after": { label: "After the plan" },
  "plans[].enabled": { label: "Switched on" },
  "plugs[].name": { label: "Name" },
  "plugs[].family": { label: "Family" },
  "plugs[].topic": { label: "MQTT topic" },
  "plugs[].url": { label: "Address (HTTP)" },
  "plugs[].channel": { label: "Output" },
  "plugs[].plan": { label: "Plan" },
  "plugs[].home": { label: "Home" },
  "plugs[].override": {
    label: "Switched manually",
    options: { respect: "Counts until the next planned change", enforce: "The plan wins" },
  },
  "plugs[].when_lost": { label: "Without contact", options: { on: "On", off: "Off", keep: "As it was" } },
  "plugs[].min_on": { label: "Shortest time on, minutes" },
  "plugs[].min_off": { label: "Shortest time off, minutes" },
} satisfies FormTexts;

/** Type of the texts of a language. A language with a missing field does not compile. */
export type FormTextTable = Readonly<Record<keyof typeof formTexts, FieldText>>;
