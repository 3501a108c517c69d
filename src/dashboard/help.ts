/** Links from the page into the help that comes with the daemon. */

/** Topics by name, with their places in the help. Those of problems are their codes. */
const PLACES = {
  contents: "",
  plans: "plans",
  plugs: "plugs",
  keys: "security#keys-and-safety",
  notify: "notifications",
  settings: "configuration",
} as const;

export type HelpTopic = keyof typeof PLACES;
export const helpTopics = Object.keys(PLACES) as HelpTopic[];

/** Returns the address of a topic, relative to the page. */
export function helpUrl(topic: HelpTopic): string {
  return `help/${PLACES[topic]}`;
}

/** Returns the address of what the help says about a problem. */
export function problemHelpUrl(code: string): string {
  return `help/operations#${code}`;
}
