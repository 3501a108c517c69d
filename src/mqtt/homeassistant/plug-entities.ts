/** Entities of a plug: state, target and reachability. None takes commands, because the plug follows its plan. */
import type { PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import { plugPath } from "../topics/plug-topics.ts";
import type { Device, EntityRow } from "./entity.ts";

type Row = EntityRow<PlugSnapshot>;

/** Returns the device of a plug. */
export function plugDevice(plug: PlugSnapshot): Device<PlugSnapshot> {
  const { id, name } = plug;
  return {
    id: `plug_${id}`,
    path: plugPath(id),
    name,
    model: "Plug",
    via: null,
    rows: plugRows,
    state: plug,
    currency: null,
  };
}

/** Topic of the values: `state` is already used by the plug's public payload. */
const VALUES = { topic: "entities" } as const;

/** Every entity of a plug. */
export const plugRows: readonly Row[] = [
  {
    key: "on",
    name: "On",
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
    name: "Wanted on",
    about: "State that the plug should have; unknown after it was switched on manually.",
    ...VALUES,
    platform: "binary_sensor",
    value: ({ wanted }) => wanted,
    icon: "mdi:power-socket",
    category: "diagnostic",
  },
  {
    key: "reason",
    name: "Reason",
    about: "Reason for the state that the plug should have.",
    ...VALUES,
    platform: "sensor",
    value: ({ reason }) => reason,
    icon: "mdi:comment-text-outline",
  },
  {
    key: "problem",
    name: "Problem",
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
    name: "Reachable",
    about: "Whether the plug is reachable; unknown until it has reported.",
    ...VALUES,
    platform: "binary_sensor",
    value: ({ available }) => available,
    deviceClass: "connectivity",
    icon: "mdi:lan-connect",
    category: "diagnostic",
  },
];
