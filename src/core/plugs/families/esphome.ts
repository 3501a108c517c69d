/** ESPHome plugs. */
import { message } from "../../language/text.ts";
import { availabilityReader, stateReader } from "./payload-readers.ts";
import type { PlugFamilyRow } from "./plug-family.ts";

export const esphomePlug = {
  topic: message("mistake.esphome_topic"),
  channel: {
    about: message("mistake.esphome_channel"),
    fits: /^[\w-]+$/,
    ordinary: null,
  },
  deadManNote: {
    on: "no: let the device's own configuration switch it off after 20 minutes without an ON",
    off: "no: let the device's own configuration switch it on after 20 minutes without an OFF",
  },
  deadMan: () => ({ on: null, off: null }),
  // An unchanged state is not published again, but the broker retains it.
  answers: () => "changes",
  turn: ({ topic, channel }, on) => [{ topic: `${topic}/switch/${channel}/command`, payload: on ? "ON" : "OFF" }],
  ask: () => [],
  listens: ({ topic, channel }) => ({
    [`${topic}/switch/${channel}/state`]: stateReader(),
    [`${topic}/status`]: availabilityReader("online", "offline"),
  }),
} as const satisfies PlugFamilyRow;
