import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { homeAssistantPlug, timerAutomation } from "../../../../../src/core/plugs/families/home-assistant.ts";
import type { PlugAddress } from "../../../../../src/core/plugs/families/plug-family.ts";

const WASHER: PlugAddress = { topic: "switch.washer", channel: "", caller: "" };
const CLIMATE: PlugAddress = { ...WASHER, topic: "climate.lake", values: { on: "comfort", off: "eco" } };

describe("the automation that replaces a timer", () => {
  test("is printed in docs/plugs.md as `elbro check` prints it", () => {
    expect(readFileSync(`${import.meta.dirname}/../../../../../docs/plugs.md`, "utf8")).toContain(
      `\n${timerAutomation(WASHER, "off", false)}\n`,
    );
  });

  test.each([
    ["when_lost: off", WASHER, "off", false, "homeassistant.turn_off", { entity_id: "switch.washer" }],
    ["when_lost: on", WASHER, "on", false, "homeassistant.turn_on", { entity_id: "switch.washer" }],
    ["inverted", WASHER, "off", true, "homeassistant.turn_on", { entity_id: "switch.washer" }],
    ["values", CLIMATE, "on", false, "climate.set_preset_mode", { entity_id: "climate.lake", preset_mode: "comfort" }],
  ] as const)("returns it to its resting state: %s", (_what, address, whenLost, isInverted, action, data) => {
    const { triggers, actions } = parse(timerAutomation(address, whenLost, isInverted) ?? "");
    expect(actions.slice(1)).toEqual([{ delay: "00:17:30" }, { action, data }]);
    const { domain, service, service_data: rest } = triggers[1].event_data;
    expect([triggers[1].id, `${domain}.${service}`, rest]).toEqual(["rest", action, data]);
    expect(triggers[0].event_data).not.toEqual(triggers[1].event_data);
  });

  test("does not exist with when_lost: keep", () => {
    expect(timerAutomation(WASHER, "keep", false)).toBeNull();
  });
});

describe("a state", () => {
  const heard = (address: PlugAddress, state: object) =>
    homeAssistantPlug.listens(address)[address.topic]?.(JSON.stringify(state)) ?? null;
  const is = (on: boolean) => ({ kind: "reported", on });

  test.each([
    [WASHER, { state: "on" }, is(true)],
    [WASHER, { state: "off" }, is(false)],
    [{ ...WASHER, topic: "climate.lake" }, { state: "heat" }, is(true)],
    [WASHER, { state: "unknown" }, null],
    [WASHER, { state: null }, null],
    [CLIMATE, { state: "heat", preset_mode: "comfort" }, is(true)],
    [CLIMATE, { state: "heat", preset_mode: "away" }, is(false)],
    [CLIMATE, { state: "heat" }, null],
    [{ ...WASHER, topic: "number.a", values: { on: 16, off: 0 } }, { state: "16.0" }, is(true)],
    [{ ...WASHER, topic: "select.a", values: { on: "Boost", off: "Normal" } }, { state: "Normal" }, is(false)],
  ] as const)("of %j: %j", (address, state, expected) => {
    expect(heard(address, state)).toEqual(expected);
  });
});

test.each([
  ["W", "1500", { watts: 1_500 }],
  ["kW", "1.5", { watts: 1_500 }],
  ["VA", "1500", null],
  ["W", "unavailable", null],
] as const)("a power of %s in a sensor with the state %s", (unit, state, expected) => {
  const read = homeAssistantPlug.measures({ ...WASHER, meters: { power: "sensor.p" } })["sensor.p"];
  expect(read?.(JSON.stringify({ state, unit_of_measurement: unit })) ?? null).toEqual(expected);
});
