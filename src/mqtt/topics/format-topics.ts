/** The prices of a home in the format of another program, published as the attributes of an entity. */
import { formatAttributes } from "../../core/prices/formats/format-registry.ts";
import type { FormatSource } from "../../core/prices/formats/format-source.ts";
import { type RetainedMessage, textMemo } from "../client/message.ts";

const exportText = textMemo();

/** Topic of the export prices, below that of the home. */
export const EXPORT_PRICES = "export_prices";

/** Returns no message for a home without a format. The payload is empty if today's prices are unknown. */
export function formatMessages(base: string, source: FormatSource): RetainedMessage[] {
  const { snapshot } = source;
  const { id, format } = snapshot.home;
  if (format === undefined) return [];
  const attributes = formatAttributes[format](source);
  return [{ topic: `${base}/${id}/format`, payload: snapshot.today.length > 0 ? JSON.stringify(attributes) : "" }];
}

/**
 * Returns the export prices in the home's format. EMHASS has both lists in one format, so its homes get them in that of
 * Predbat, as homes without a format do.
 */
export function exportMessage(base: string, source: FormatSource): RetainedMessage {
  const { id, format = "emhass" } = source.snapshot.home;
  const { today, byPosition, now } = source.snapshot;
  const shown = format === "emhass" ? "predbat" : format;
  // Predbat's attributes are the same during a day, the others change with the current price.
  const attributes = exportText(byPosition, shown === "predbat" ? shown : now, () => formatAttributes[shown](source));
  return { topic: `${base}/${id}/${EXPORT_PRICES}`, payload: today.length > 0 ? attributes : "" };
}
