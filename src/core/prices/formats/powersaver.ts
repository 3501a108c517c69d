/**
 * Message of node-red-contrib-power-saver (`ps-receive-price`, "Other"): `today` and `tomorrow` as `{value, start}`, in
 * intervals of equal length, with local offsets.
 */

import { rounded } from "../../text/rounding.ts";
import { localInstant } from "../../time/local-instant.ts";
import type { PricePoint } from "../timeline.ts";
import type { FormatSource } from "./format-source.ts";

export function powersaverFormat({ snapshot, calendar }: FormatSource): object {
  const rows = (points: readonly PricePoint[]) =>
    points.map(({ start, price }) => ({ value: rounded(price), start: localInstant(start, calendar) }));
  return { today: rows(snapshot.today), tomorrow: rows(snapshot.tomorrow) };
}
