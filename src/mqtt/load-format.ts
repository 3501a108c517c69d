/** Price formats of other programs as MQTT attributes, for homes that are configured to have one. */
import { formatAttributes } from "../core/prices/formats/format-registry.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { Homes } from "../state/homes.ts";
import type { FormatOf } from "./topics/format-topics.ts";

export function openFormats(homes: Pick<Homes, "address">, calendar: Calendar): FormatOf {
  return (snapshot) => {
    const { format, addressId } = snapshot.home;
    if (format === undefined) return null;
    return formatAttributes[format]({ snapshot, calendar, region: homes.address(addressId)?.region ?? null });
  };
}
