/** Measurements in the messages of each family, as their documents and sources show them. */
import { describe, expect, test } from "vitest";
import { plugFamilies } from "../../../../../src/core/plugs/families/families.ts";
import { topicMeters } from "../../../../../src/core/plugs/families/meter-readers.ts";
import type { PlugAddress, PlugFamilyRow } from "../../../../../src/core/plugs/families/plug-family.ts";

const rows: Readonly<Record<string, PlugFamilyRow>> = plugFamilies;

function measuredBy(family: string, topic: string, payload: string, change: Partial<PlugAddress> = {}) {
  const address = { topic: "plug", channel: rows[family]?.channel.ordinary ?? "", caller: "elbro/plug/p", ...change };
  return rows[family]?.measures?.(address)[topic]?.(payload);
}

const ENERGY = '"ENERGY":{"Total":3.185,"Yesterday":3.058,"Today":0.127,"Power":1850,"Voltage":231}';
const TWO = '{"ENERGY":{"Total":9,"Power":[75,0]}}';

describe("measurements in messages", () => {
  test.each([
    ["tasmota", "tele/plug/SENSOR", `{"Time":"2026-03-10T12:00:00",${ENERGY}}`, { watts: 1850, counterKwh: 3.185 }],
    ["tasmota", "stat/plug/STATUS8", `{"StatusSNS":{${ENERGY}}}`, { watts: 1850, counterKwh: 3.185 }],
    ["tasmota", "stat/plug/STATUS10", `{"StatusSNS":{${ENERGY}}}`, { watts: 1850, counterKwh: 3.185 }],
    ["tasmota", "tele/plug/SENSOR", '{"ANALOG":{"Temperature":20}}', null],
    ["tasmota", "tele/plug/SENSOR", TWO, { watts: 75 }],
    ["shelly_gen1", "shellies/plug/relay/0/power", "62.35", { watts: 62.35 }],
    ["shelly_gen1", "shellies/plug/relay/0/energy", "90000", { counterKwh: 1.5 }],
    [
      "shelly_gen2",
      "plug/status/switch:0",
      '{"output":true,"apower":8.9,"aenergy":{"total":6.532}}',
      { watts: 8.9, counterKwh: 0.006532 },
    ],
    ["shelly_gen3", "plug/events/rpc", '{"params":{"switch:0":{"apower":8.9}}}', { watts: 8.9 }],
    ["shelly_gen3", "plug/events/rpc", '{"params":{"switch:1":{"apower":8.9}}}', null],
    ["shelly_gen4", "elbro/plug/p/rpc", '{"id":3,"result":{"output":true,"apower":1}}', { watts: 1 }],
    ["shelly_gen4", "elbro/plug/p/rpc", '{"id":1,"result":{"was_on":true}}', null],
    ["zigbee2mqtt", "zigbee2mqtt/plug", '{"state":"ON","power":12.5,"energy":4.25}', { watts: 12.5, counterKwh: 4.25 }],
    ["zigbee2mqtt", "zigbee2mqtt/plug", '{"state":"ON","power":null,"energy":""}', null],
    ["zigbee2mqtt", "zigbee2mqtt/plug", "not JSON", null],
    ["zigbee2mqtt", "zigbee2mqtt/plug/power", "12.5", { watts: 12.5 }],
    ["zigbee2mqtt", "zigbee2mqtt/plug/energy", "4.25", { counterKwh: 4.25 }],
  ])("%s: %s %s", (family, topic, payload, expected) => {
    const found = measuredBy(family, topic, payload);
    if (expected === null) expect(found).toBeNull();
    else
      expect(found).toEqual(
        Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, expect.closeTo(value, 9)])),
      );
  });

  test("the second relay of a device has its own meter, and no part of a shared total", () => {
    expect(measuredBy("tasmota", "tele/plug/SENSOR", TWO, { channel: "2" })).toEqual({ watts: 0 });
    const split = '{"ENERGY":{"Total":[4,5],"Power":[75,0]}}';
    expect(measuredBy("tasmota", "tele/plug/SENSOR", split, { channel: "2" })).toEqual({ watts: 0, counterKwh: 5 });
    const zigbee = '{"power_left":7,"energy_left":1,"power":9}';
    expect(measuredBy("zigbee2mqtt", "zigbee2mqtt/plug", zigbee, { channel: "left" })).toEqual({
      watts: 7,
      counterKwh: 1,
    });
    expect(measuredBy("zigbee2mqtt", "zigbee2mqtt/plug", zigbee, { channel: "right" })).toBeNull();
  });
});

describe("topics of the owner", () => {
  test("power and energy are read from numbers and from JSON, in their units", () => {
    const plain = topicMeters({ power: { topic: "a/power", unit: "kW" }, energy: { topic: "a/energy", unit: "Wh" } });
    expect(plain["a/power"]?.("1.5")).toEqual({ watts: 1_500 });
    expect(plain["a/energy"]?.("2500")).toEqual({ counterKwh: 2.5 });
    expect(plain["a/energy"]?.("unavailable")).toBeNull();
  });

  test("one topic may have both", () => {
    const readers = topicMeters({ power: { topic: "a", key: "ENERGY.Power.1" }, energy: { topic: "a", key: "total" } });
    expect(readers.a?.('{"ENERGY":{"Power":[1,20]},"total":"3.5"}')).toEqual({ watts: 20, counterKwh: 3.5 });
    expect(readers.a?.('{"total":3.5}')).toEqual({ counterKwh: 3.5 });
    expect(readers.a?.("[]")).toBeNull();
  });
});
