/** The prices of a home in the format of another program, published as the attributes of an entity. */
import { formatAttributes } from "../../core/prices/formats/format-registry.ts";
import type { FormatSource } from "../../core/prices/formats/format-source.ts";
import type { Message } from "../client/message.ts";

/** Returns no message for a home without a format. The payload is empty if today's prices are unknown. */
export function formatMessages(base: string, source: FormatSource): Message[] {
  const { snapshot } = source;
  const { id, format } = snapshot.home;
  if (format === undefined) return [];
  const attributes = formatAttributes[format](source);
  return [{ topic: `${base}/${id}/format`, payload: snapshot.today.length > 0 ? JSON.stringify(attributes) : "" }];
}
