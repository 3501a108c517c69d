/** Registry of plug families: a new family is one file and one line here. */
import { customPlug } from "./custom.ts";
import { esphomePlug } from "./esphome.ts";
import { homeAssistantPlug } from "./home-assistant.ts";
import type { PlugFamilyRow } from "./plug-family.ts";
import { shellyGen1Plug } from "./shelly-gen1.ts";
import { shellyGen2Plug, shellyGen3Plug, shellyGen4Plug } from "./shelly-gen2.ts";
import { tasmotaPlug } from "./tasmota.ts";
import { zigbee2mqttPlug } from "./zigbee2mqtt.ts";

export const plugFamilies = {
  tasmota: tasmotaPlug,
  shelly_gen1: shellyGen1Plug,
  shelly_gen2: shellyGen2Plug,
  shelly_gen3: shellyGen3Plug,
  shelly_gen4: shellyGen4Plug,
  zigbee2mqtt: zigbee2mqttPlug,
  esphome: esphomePlug,
  homeassistant: homeAssistantPlug,
  custom: customPlug,
} as const satisfies Readonly<Record<string, PlugFamilyRow>>;

export type PlugFamily = keyof typeof plugFamilies;
