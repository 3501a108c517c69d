/** Entities of a plug: state, target and reachability. None takes commands, because the plug follows its plan. */

import type { PlugMeasurements, PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import { formatInstant } from "../../core/time/interval.ts";
import { plugPath } from "../topics/plug-topics.ts";
import type { Device, EntityRow } from "./entity.ts";

type Row = EntityRow<PlugSnapshot>;

/** Returns the device of a plug. With the name of its plan it is part of that device. */
export function plugDevice(
  plug: PlugSnapshot,
  plan: Pick<Device<never>, "id" | "name" | "model" | "via"> | null = null,
): Device<PlugSnapshot> {
  const { id, name } = plug;
  return {
    id: `plug_${id}`,
    path: plugPath(id),
    name,
    model: "Plug",
    via: null,
    rows: plugRows,
    state: plug,
    currency: plug.measured?.month.currency ?? null,
    ...(plan?.name === name ? { partOf: plan } : {}),
  };
}

/** Topic of the values: `state` is already used by the plug's public payload. */
const VALUES = { topic: "entities" } as const;

/** Every entity of a plug. */
export const plugRows: readonly Row[] = [
  {
    key: "on",
    name: "on",
    about: "State that the plug reports; unavailable while it is unknown.",
    ...VALUES,
    platform: "binary_sensor",
    value: ({ on }) => on,
    deviceClass: "power",
    icon: "mdi:power-socket-eu",
    needs: "on",
    expires: true,
  },
  {
    key: "wanted",
    name: "wanted_on",
    about: "State that the plug should have; unknown after it was switched on manually.",
    ...VALUES,
    platform: "binary_sensor",
    value: ({ wanted }) => wanted,
    icon: "mdi:power-socket",
    category: "diagnostic",
  },
  {
    key: "reason",
    name: "reason",
    about: "Reason for the state that the plug should have.",
    ...VALUES,
    platform: "sensor",
    value: ({ reason }) => reason,
    icon: "mdi:comment-text-outline",
  },
  {
    key: "problem",
    name: "problem",
    about: "ON while the plug does not answer.",
    ...VALUES,
    platform: "binary_sensor",
    value: ({ silent }) => silent,
    deviceClass: "problem",
    icon: "mdi:alert-circle-outline",
    category: "diagnostic",
  },
  {
    key: "available",
    name: "reachable",
    about: "Whether the plug is reachable; unknown until it has reported.",
    ...VALUES,
    platform: "binary_sensor",
    value: ({ available }) => available,
    deviceClass: "connectivity",
    icon: "mdi:lan-connect",
    category: "diagnostic",
  },
  {
    key: "power",
    name: "power",
    about: "Power that the plug measures; updated at most every 30 s.",
    ...VALUES,
    platform: "sensor",
    value: ({ measured }) => measured?.watts ?? null,
    deviceClass: "power",
    stateClass: "measurement",
    unit: "W",
    icon: "mdi:flash",
    exists: ({ measured }) => typeof measured?.watts === "number",
  },
  ...(
    [
      ["month", "this_month", "in this month", ({ month }) => month],
      ["previous_month", "previous_month", "in the previous month", ({ monthBefore }) => monthBefore],
    ] satisfies readonly Period[]
  ).flatMap(measuredRows),
];

type Period = readonly [
  key: string,
  name: "this_month" | "previous_month",
  about: string,
  of: (measured: PlugMeasurements) => PlugMeasurements["month"],
];

/** Rows of the energy and cost of a month. */
function measuredRows([key, name, about, of]: Period): Row[] {
  const shared = {
    ...VALUES,
    platform: "sensor",
    stateClass: "total",
    lastReset: ({ measured }: PlugSnapshot) => measured && formatInstant(of(measured).start),
    precision: 2,
    exists: ({ measured }: PlugSnapshot) => measured !== null,
  } as const;
  return [
    {
      key: `energy_${key}`,
      name: `energy_${name}`,
      about: `Energy that the plug measured ${about}.`,
      ...shared,
      value: ({ measured }) => measured && of(measured).kwh,
      deviceClass: "energy",
      unit: "kWh",
      icon: "mdi:counter",
    },
    {
      key: `cost_${key}`,
      name: `cost_${name}`,
      about: `Cost of the energy that the plug measured ${about}, at the prices of its quarter-hours.`,
      ...shared,
      value: ({ measured }) => measured && of(measured).cost,
      deviceClass: "monetary",
      unit: "currency",
      icon: "mdi:cash-minus",
    },
  ];
}
