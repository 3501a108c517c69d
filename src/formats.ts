/** The formats of other programs as attributes over MQTT, loaded only where a home is configured to have one. */
import type { Config } from "./config/schema.ts";
import type { Calendar } from "./core/calendar.ts";
import type { Homes } from "./homes.ts";
import type { FormatOf } from "./mqtt/format-messages.ts";

export async function openFormats(
  config: Pick<Config, "homes">,
  homes: Pick<Homes, "address">,
  calendar: Calendar,
): Promise<FormatOf> {
  if (!config.homes?.some(({ format }) => format !== undefined)) return () => null;
  const { formatAttributes } = await import("./core/price-format.ts");
  return (snapshot) => {
    const { format, addressId } = snapshot.home;
    if (format === undefined) return null;
    return formatAttributes[format]({ snapshot, calendar, region: homes.address(addressId)?.region ?? null });
  };
}
