/** The prices of a home in the format of another program, published as the attributes of an entity. */
import { formatAttributes } from "../../core/prices/formats/format-registry.ts";
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { Message } from "../client/message.ts";

/** Returns no message for a home without a format. The payload is empty if today's prices are unknown. */
export function formatMessages(
  base: string,
  snapshot: HomeSnapshot,
  calendar: Calendar,
  region: string | null,
): Message[] {
  const { id, format } = snapshot.home;
  if (format === undefined) return [];
  const attributes = formatAttributes[format]({ snapshot, calendar, region });
  return [{ topic: `${base}/${id}/format`, payload: snapshot.today.length > 0 ? JSON.stringify(attributes) : "" }];
}
