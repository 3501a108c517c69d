/** The prices of a home as another program reads them: the attributes of an entity of their own. */
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import type { Message } from "../client/message.ts";

/** Makes the attributes of the format that a home is to have; null for a home without one. */
export type FormatOf = (snapshot: HomeSnapshot) => object | null;

/** Without today's prices there is nothing to read. */
export function formatMessages(base: string, snapshot: HomeSnapshot, formatOf: FormatOf): Message[] {
  const attributes = formatOf(snapshot);
  if (attributes === null) return [];
  const payload = snapshot.today.length > 0 ? JSON.stringify(attributes) : "";
  return [{ topic: `${base}/${snapshot.home.id}/format`, payload }];
}
