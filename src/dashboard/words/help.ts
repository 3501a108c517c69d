/** Links from the page into the help that comes with the daemon. */

/** Places in the help of parts of the page. */
const PARTS = {
  contents: "",
  plans: "plans",
  plugs: "switch-a-plug",
  keys: "wall#on-the-phone",
  backup: "backup",
} as const;
export type HelpTopic = keyof typeof PARTS;
export const helpTopics = Object.keys(PARTS) as HelpTopic[];

/** Places of problems with more to say than the table of all problems. */
const PROBLEMS: Readonly<Record<string, string>> = {
  plug_silent: "silent-plug#it-does-not-answer",
  plug_refuses: "silent-plug#it-answers-but-refuses",
  plug_without_timer: "silent-plug#it-does-not-switch-itself-off",
  topics_refused: "mqtt#rights",
  notifications_failed: "notifications#if-the-server-rejects-a-notification",
  home_assistant_refused: "home-assistant#statistics-at-the-correct-hours",
};

const IF_ELBRO_FAILS = "plugs#if-elbro-fails";
const DEVICES = "plugs#devices";
const MEASURES = "plugs#plugs-that-measure";
const OF_HOME_ASSISTANT = "plugs#switches-of-home-assistant";
/** Places of fields and sections with more to say than their row in the table of all keys. */
const FIELDS: Readonly<Record<string, string>> = {
  "plugs[].family": "switch-a-plug#which-family",
  "plugs[].topic": "switch-a-plug#add-it",
  "plugs[].url": DEVICES,
  "plugs[].username": DEVICES,
  "plugs[].password": DEVICES,
  "plugs[].certificate": DEVICES,
  "plugs[].inverted": DEVICES,
  "plugs[].entity": OF_HOME_ASSISTANT,
  "plugs[].values": OF_HOME_ASSISTANT,
  "plugs[].starts_when": MEASURES,
  "plugs[].ends_when": MEASURES,
  "plugs[].power": MEASURES,
  "plugs[].energy": MEASURES,
  "plugs[].override": IF_ELBRO_FAILS,
  "plugs[].when_lost": IF_ELBRO_FAILS,
  "plans[].kwh": MEASURES,
  "plans[].group": "plans#power-groups",
  "homes[].export": "home-assistant#the-export-price",
  notify: "notifications",
  "notify.quiet_hours": "notifications#quiet-hours",
  mdns: "wall#find-the-dashboard-by-name",
};

/** Returns the address of a topic, relative to the page. */
export function helpUrl(topic: HelpTopic): string {
  return `help/${PARTS[topic]}`;
}

/** Returns the address of what the help says about a problem. */
export function problemHelpUrl(code: string): string {
  return `help/${PROBLEMS[code] ?? `operations#${code}`}`;
}

/** Returns the address of what the help says about a field or section of the configuration. */
export function fieldHelpUrl(path: string): string {
  const row = /^\w+(\[\])?\.\w+/.exec(path)?.[0];
  return `help/${FIELDS[path] ?? FIELDS[row ?? ""] ?? `configuration#${row ?? "every-key"}`}`;
}

/** Returns whether the help explains a field beyond its description. */
export function isExplained(path: string): boolean {
  return path in FIELDS;
}
