/** The view that the address names: `#plans` is a view, `#plans/car` an entry of it. */
import { signal } from "@preact/signals";

export const VIEWS = ["now", "prices", "use", "plans", "results", "system"] as const;
export type ViewName = (typeof VIEWS)[number];

/** Views by parts of them that links name. */
const VIEW_BY_PART: Readonly<Record<string, ViewName>> = { plugs: "plans", settings: "system", keys: "system" };

/** Pages of the system view, and the parts of them that addresses name. All other parts are on the first page. */
export const SYSTEM_PAGES = ["status", "connections", "devices", "backup"] as const;
export type SystemPage = (typeof SYSTEM_PAGES)[number];
const PAGE_OF_PART: ReadonlyMap<string, SystemPage> = new Map([
  ...["connections", "settings", "setting"].map((part) => [part, "connections"] as const),
  ...["devices", "keys", "key"].map((part) => [part, "devices"] as const),
  ...["backup", "history", "state", "former"].map((part) => [part, "backup"] as const),
]);

/** Returns the page of the system view with a part, such as `keys` or `setting-mqtt`. */
export function systemPageOf(part: string | null): SystemPage {
  return PAGE_OF_PART.get(part?.split("-")[0] ?? "") ?? "status";
}

export interface PageRoute {
  readonly view: ViewName;
  /** Id of the entry, or of the part, that is shown; null for the whole view. */
  readonly entry: string | null;
}

/** Returns the view of an address's fragment; the first view for an unknown one. */
export function routeOf(hash: string): PageRoute {
  const [, name = "", entry] = /^#([^/]*)(?:\/(.+))?$/.exec(hash) ?? [];
  const view = VIEWS.find((each) => each === name);
  if (view) return { view, entry: entry === undefined ? null : decoded(entry) };
  const owner = VIEW_BY_PART[name];
  return owner ? { view: owner, entry: name } : { view: "now", entry: null };
}

/** Returns the address of a view, or of an entry of it. */
export function addressOf(view: ViewName, entry?: string): string {
  return entry === undefined ? `#${view}` : `#${view}/${encodeURIComponent(entry)}`;
}

/** The shown view. */
export const route = signal(routeOf(""));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
