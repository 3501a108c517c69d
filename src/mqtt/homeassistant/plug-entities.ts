/** Entities of a plug: state, target and reachability. None takes commands, because the plug follows its plan. */

import type { PlugMeasurements, PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import { plugPath } from "../topics/plug-topics.ts";
import { type Device, type EntityRow, entityRow } from "./entity.ts";

type Row = EntityRow<PlugSnapshot>;
const row = entityRow<PlugSnapshot>;

/** Returns the device of a plug. With the name of its plan it is part of that device. */
export function plugDevice(
  plug: PlugSnapshot,
  plan: Pick<Device<never>, "id" | "name" | "model" | "via"> | null = null,
): Device<PlugSnapshot> {
  const { id, name } = plug;
  const shared = plan?.name === name ? { partOf: plan, rows: partRows } : {};
  return {
    id: `plug_${id}`,
    path: plugPath(id),
    name,
    model: "Plug",
    via: null,
    rows: plugRows,
    state: plug,
    currency: plug.measured?.month.currency ?? null,
    ...shared,
  };
}

/** Topic of the values: `state` is already used by the plug's public payload. */
const SENSOR = { topic: "entities", platform: "sensor" } as const;
const BINARY = { topic: "entities", platform: "binary_sensor" } as const;

/** Every entity of a plug. */
export const plugRows: readonly Row[] = [
  row("on", "on", ({ on }) => on, {
    ...BINARY,
    deviceClass: "power",
    icon: "mdi:power-socket-eu",
    needs: "on",
    expires: true,
  }),
  row("wanted", "wanted_on", ({ wanted }) => wanted, {
    ...BINARY,
    icon: "mdi:power-socket",
    category: "diagnostic",
  }),
  row("reason", "reason", ({ reason }) => reason, {
    ...SENSOR,
    icon: "mdi:comment-text-outline",
    category: "diagnostic",
  }),
  row("problem", "problem", ({ silent }) => silent, {
    ...BINARY,
    deviceClass: "problem",
    icon: "mdi:alert-circle-outline",
    category: "diagnostic",
  }),
  row("available", "reachable", ({ available }) => available, {
    ...BINARY,
    deviceClass: "connectivity",
    icon: "mdi:lan-connect",
    category: "diagnostic",
  }),
  row("power", "power", ({ measured }) => measured?.watts ?? null, {
    ...SENSOR,
    deviceClass: "power",
    stateClass: "measurement",
    unit: "W",
    icon: "mdi:flash",
    exists: ({ measured }) => typeof measured?.watts === "number",
  }),
  ...measuredRows("month", "this_month", ({ month }) => month),
  ...measuredRows("previous_month", "previous_month", ({ monthBefore }) => monthBefore),
];

/** Returns the rows of the energy and cost of a month. */
function measuredRows(
  key: string,
  name: "this_month" | "previous_month",
  of: (measured: PlugMeasurements) => PlugMeasurements["month"],
): Row[] {
  const shared = {
    ...SENSOR,
    stateClass: "total",
    lastReset: ({ measured }: PlugSnapshot) => measured && of(measured).start,
    precision: 2,
    exists: ({ measured }: PlugSnapshot) => measured !== null,
  } as const;
  return [
    row(`energy_${key}`, `energy_${name}`, ({ measured }) => measured && of(measured).kwh, {
      ...shared,
      deviceClass: "energy",
      unit: "kWh",
      icon: "mdi:counter",
    }),
    row(`cost_${key}`, `cost_${name}`, ({ measured }) => measured && of(measured).cost, {
      ...shared,
      deviceClass: "monetary",
      unit: "currency",
      icon: "mdi:cash-minus",
    }),
  ];
}

/** Those of a plug on the device of its plan, which has a reason of its own. */
const partRows = plugRows.map((each) => (each.key === "reason" ? { ...each, isHidden: true as const } : each));
