/** Events for which the owner gets a notification unless others are chosen. */
export const usualEvents = ["tomorrow", "negative_prices", "plan", "plug", "problem"] as const;
/** All events for which the owner can get a notification. */
export const notifyEvents = [...usualEvents, "planned", "saved"] as const;
export type NotifyEvent = (typeof notifyEvents)[number];
