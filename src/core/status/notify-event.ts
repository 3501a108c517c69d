/** What the owner may be notified of. */
export const notifyEvents = ["tomorrow", "negative_prices", "plan", "plug", "problem"] as const;
export type NotifyEvent = (typeof notifyEvents)[number];
