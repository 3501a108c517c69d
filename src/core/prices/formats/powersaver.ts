/** node-red-contrib-power-saver (`ps-receive-price`, "Other"): `{value, start}` with local offsets, of equal length. */

import { rounded } from "../../text/rounding.ts";
import { localInstant } from "../../time/local-instant.ts";
import type { PricePoint } from "../timeline.ts";
import type { FormatSource } from "./format-source.ts";

export function powersaverFormat({ snapshot, calendar }: FormatSource): object {
  const rows = (points: readonly PricePoint[]) =>
    points.map(({ start, price }) => ({ value: rounded(price), start: localInstant(start, calendar) }));
  return { today: rows(snapshot.today), tomorrow: rows(snapshot.tomorrow) };
}
