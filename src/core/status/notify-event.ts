/** Events for which the owner can get a notification. */
export const notifyEvents = ["tomorrow", "negative_prices", "plan", "plug", "problem"] as const;
export type NotifyEvent = (typeof notifyEvents)[number];
