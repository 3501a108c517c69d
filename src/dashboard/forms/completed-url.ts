/** How people type the address of a machine, and the URL that they mean. */

/** Start of a URL, and the port of a machine that names none, by the key of the URL. */
const URLS: Readonly<Record<string, readonly [start: string, port: string]>> = {
  "mqtt.url": ["mqtt://", ""],
  "home_assistant.url": ["http://", ":8123"],
  "plugs[].url": ["http://", ""],
  "notify.topic_url": ["https://", ""],
  "notify.webhook_url": ["https://", ""],
};

/** Returns the URL of an address without a scheme, such as `192.168.1.40`; null for any other text or key. */
export function completedUrl(path: string, typed: string): string | null {
  const text = typed.trim();
  const [start, port] = URLS[path] ?? [];
  if (start === undefined || !/^[\w.-]+(:\d+)?(\/\S*)?$/.test(text)) return null;
  return `${start}${text}${/[:/]/.test(text) ? "" : port}`;
}
