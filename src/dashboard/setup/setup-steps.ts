/** The steps of the set-up: the fields of each, made as those of every form, and what was entered so far. */
import { signal } from "@preact/signals";
import type { AnswerOf } from "../../api/calls.ts";
import { languages } from "../../i18n/languages.ts";
import type { Json, JsonObject, JsonSchema } from "../forms/fields.ts";
import type { FormTexts } from "../forms/form-texts.ts";
import type { Translate } from "../words/language.ts";

type Trial = AnswerOf<"POST /local/v1/setup/test">;
export type Step = "code" | "service" | "addresses" | "place" | "broker" | "ha" | "last";

/** What was entered, until the page is closed. The forms keep it for a reload, without typed secrets. */
export interface Entered {
  readonly step: Step;
  /** By keys of the configuration, or of a step. */
  readonly values: JsonObject;
  /** Whether there is only a key of the third-party interface. */
  readonly isPair: boolean;
  /** Addresses of the key. */
  readonly addresses: Trial["addresses"];
  /** Addresses that match that of the place. */
  readonly suggestions: readonly string[];
  /** What the last test completed. */
  readonly completed: object;
}
export const entered = signal<Entered>({
  step: "service",
  values: {},
  isPair: false,
  addresses: [],
  suggestions: [],
  completed: {},
});

export function enter(more: Partial<Entered>): void {
  entered.value = { ...entered.value, ...more };
}

/** Returns the steps after the code of the log. */
export function setupSteps({ isPair }: Pick<Entered, "isPair">): readonly Step[] {
  return ["service", isPair ? "place" : "addresses", "broker", "ha", "last"];
}

const TEXT = { type: "string" };
const SECRET = { type: "string", writeOnly: true };

/** Returns the schema of the form of a step. */
export function stepSchema(step: Step, { isPair, addresses, suggestions }: Entered): JsonSchema {
  const form = (properties: Readonly<Record<string, JsonSchema>>, required = Object.keys(properties)) => ({
    type: "object",
    properties,
    required,
  });
  switch (step) {
    case "code":
      return form({ code: TEXT });
    case "service":
      return form(
        isPair ? { "third_party.api_key": SECRET, "third_party.api_secret": SECRET } : { "consumer.api_key": SECRET },
      );
    case "addresses": {
      const homes = { type: "array", items: { enum: addresses.map(({ id }) => id) }, minItems: 1 };
      return form(addresses.length > 0 ? { homes } : {});
    }
    case "place": {
      const found = suggestions.length > 0 ? { "place.found": { enum: suggestions } } : {};
      return form({ "place.address": TEXT, ...found, "place.region": TEXT, "place.name": TEXT }, ["place.name"]);
    }
    case "broker":
      return form({ "mqtt.url": TEXT, "mqtt.username": TEXT, "mqtt.password": SECRET }, []);
    case "ha":
      return form({ "home_assistant.url": TEXT, "home_assistant.token": SECRET }, []);
    case "last":
      return form({ language: { enum: languages }, key_name: TEXT });
  }
}

export const stepExamples = {
  "mqtt.url": "mqtt://192.168.1.10:1883",
  "home_assistant.url": "http://homeassistant.local:8123",
};

/** Returns the texts of the fields that are no keys of the configuration. */
export function stepTexts(s: Translate<"setup">, { addresses }: Pick<Entered, "addresses">): FormTexts {
  const names = addresses.map(({ id, label, address, region }) => [id, `${label} ${address} ${region}`]);
  return {
    code: { label: s("code") },
    homes: { label: s("title_addresses"), options: Object.fromEntries(names) },
    "place.address": { label: s("place_address"), about: s("place_address_example") },
    "place.found": { label: s("place_choose") },
    "place.region": { label: s("place_region"), about: s("place_region_example") },
    "place.name": { label: s("place_name"), about: s("place_name_help") },
    key_name: { label: s("key_name"), about: s("key_name_help") },
  };
}

/** Returns what the fields hold where nothing was entered. */
export function stepDefaults(s: Translate<"setup">): JsonObject {
  return { "place.name": s("place_name_default"), language: s.language, key_name: s("key_name_default") };
}

/** Returns an entered text; empty without one. */
export function typedText(values: JsonObject, name: string): string {
  const { [name]: value } = values;
  return typeof value === "string" ? value.trim() : "";
}

/** Returns the texts that were entered in a step. */
export function typedIn(step: Step, now: Entered): Record<string, string> {
  const names = Object.keys(stepSchema(step, now).properties ?? {});
  const texts = names.map((name) => [name, typedText(now.values, name)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

/** Returns the place of a third-party account; null if it is not entered. */
export function chosenPlace(values: JsonObject): { readonly region?: string; readonly address?: string } | null {
  const region = typedText(values, "place.region");
  const address = typedText(values, "place.found") || typedText(values, "place.address");
  if (region !== "") return { region };
  return address === "" ? null : { address };
}

/** Returns the keys of the account. */
export function serviceKeys(now: Entered): Record<string, string> {
  const encoding = typedText(now.values, "third_party.hash_encoding");
  return { ...typedIn("service", now), ...(now.isPair && { "third_party.hash_encoding": encoding }) };
}

/** Returns the keys of the configuration that the set-up writes. */
export function chosenKeys(now: Entered): Record<string, Json> {
  const { values, isPair, addresses } = now;
  const { key_name: _, ...last } = typedIn("last", now);
  const keys = { ...serviceKeys(now), ...typedIn("broker", now), ...typedIn("ha", now), ...last };
  if (isPair)
    return { ...keys, "third_party.places": [{ name: typedText(values, "place.name"), ...chosenPlace(values) }] };
  const homes = (values.homes ?? []) as readonly string[];
  return homes.length === addresses.length ? keys : { ...keys, homes: homes.map((id) => ({ address_id: id })) };
}
