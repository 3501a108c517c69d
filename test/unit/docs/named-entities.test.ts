import { expect, test } from "vitest";
import { deviceId, entityIdOf } from "../../../src/mqtt/homeassistant/device-id.ts";
import { formatRow, homeRows } from "../../../src/mqtt/homeassistant/home-entities.ts";
import { planRows } from "../../../src/mqtt/homeassistant/plan-entities.ts";
import { plugRows } from "../../../src/mqtt/homeassistant/plug-entities.ts";
import { namedEntities } from "../../support/docs/named-entities.ts";

/** Devices as named in the documentation. */
const devices = [
  ["home", [...homeRows, formatRow]],
  ["home_plan_dishwasher", planRows],
  ["plug_dishwasher", plugRows],
] as const;

// `npm run lab -- homeassistant` compares the same ids with the registry of a real Home Assistant.
test("every entity id in documentation, snippets and blueprints is one that elbro suggests", () => {
  const suggested = new Set(
    devices.flatMap(([id, rows]) =>
      rows.map(({ platform, key, entityName = key }) => entityIdOf(platform, deviceId("elbro", id), entityName)),
    ),
  );
  const named = namedEntities();
  expect(named.map(({ id }) => id)).toContain("sensor.elbro_home_price");
  expect(named.filter(({ id }) => !suggested.has(id))).toEqual([]);
});
