/** What happens to plugs if elbro fails, for plugs where the owner has to do something about it. */
import { plugFamilies } from "../core/plugs/families/families.ts";
import { timerAutomation } from "../core/plugs/families/home-assistant.ts";
import { expressionsIn } from "../core/plugs/families/payload-values.ts";
import type { PlugFamilyRow } from "../core/plugs/families/plug-family.ts";
import { MAX_DEAD_MAN_MS } from "../core/plugs/plug-types.ts";
import { MINUTE_MS } from "../core/time/interval.ts";
import type { PlanEntry } from "./schema/plan-schema.ts";
import { type PlugConfig, plugAddressOf, whenLostOfPlug } from "./schema/plug-schema.ts";

/** Returns one text for each plug whose firmware cannot carry out `when_lost` by itself. */
export function plugWarnings(list: readonly PlugConfig[], plans: readonly PlanEntry[]): string[] {
  return list.flatMap((plug) => {
    const { name, family, url, inverted } = plug;
    const whenLost = whenLostOfPlug(plug, plans);
    const row: PlugFamilyRow = plugFamilies[family];
    const address = plugAddressOf(plug, "");
    const isOn = whenLost === "off";
    const state = isOn ? "ON" : "OFF";
    const automation = family === "homeassistant" ? timerAutomation(address, whenLost, inverted) : null;
    if (automation !== null)
      return [
        `plugs: ${name} (${family}): if elbro fails, this automation ends an ${state} after ${MAX_DEAD_MAN_MS / MINUTE_MS} minutes. Paste it in Home Assistant (Settings, Automations, Edit in YAML). If Home Assistant stops, the device keeps its state until Home Assistant is back:`,
        ...automation.split("\n").map((line) => `    ${line}`),
      ].join("\n");
    const timers = (url === undefined ? row : (row.http ?? row)).deadMan(address);
    if (whenLost === "keep" || timers[isOn !== inverted ? "on" : "off"] !== null) return [];
    return `plugs: ${name} (${family}) cannot end an ${state} by itself: if elbro fails, it stays ${state}; see docs/plugs.md`;
  });
}

/** Returns a warning for each regular expression of an earlier version, with the line that replaces it. */
export function expressionWarnings(list: readonly PlugConfig[]): string[] {
  return list.flatMap((plug, i) =>
    expressionsIn(plug).map(({ key, expression, payloads }) => {
      const name = key.slice(key.indexOf(".") + 1);
      const where = `plugs[${i}].${key}: ${expression}`;
      return payloads
        ? `${where} is used as a list of payloads; write ${name}: ${JSON.stringify(payloads).replaceAll(",", ", ")}`
        : `${where} is not used, and the plug follows when_lost: elbro has no regular expressions any more; write a payload or a list of payloads, with key for a value in JSON (docs/plugs.md)`;
    }),
  );
}

/** Returns a warning if plugs need Home Assistant and no account of it is configured. */
export function homeAssistantWarnings(list: readonly PlugConfig[], homeAssistant: object | undefined): string[] {
  const names = list.flatMap(({ family, name }) => (family === "homeassistant" ? name : []));
  if (names.length === 0 || homeAssistant) return [];
  return [`plugs: ${names.join(", ")}: home_assistant is not set, so elbro cannot switch them`];
}
