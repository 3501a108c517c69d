/** What a change did: its verb with the things it changed, such as "Deleted: Car", and the labels of its keys. */
import type { PageState } from "../../api/settings/history.ts";
import { type FormTexts, labelOf, plainName } from "../forms/form-texts.ts";
import type { PageTools } from "../page.ts";

type Difference = NonNullable<PageState["differences"]>[number];

/** Sections with the keys of the service, which have one form. */
const ACCOUNTS = ["consumer", "third_party"];

/** Marks a secret in place of its value. */
export const SECRET = "(set)";

/** Returns the verb with what was changed; null if the differences are not known. */
export function changeText({ differences }: PageState, { t, store }: PageTools, texts: FormTexts): string | null {
  const [first] = differences ?? [];
  if (!differences || !first) return null;
  const names = new Set(differences.map((each) => thingOf(each, store, texts)));
  const isWhole = entryOf(first.path)?.keys === "";
  const verb = isWhole && first.before === null ? "created" : isWhole && first.after === null ? "deleted" : "changed";
  return t(`change_${verb}`, { name: [...names].join(", ") });
}

/** Labels of the keys in a path: "Hours" for `plans.car.hours`; empty for a whole plan or plug. */
export function keyLabel(path: string, texts: FormTexts): string {
  const entry = entryOf(path);
  if (!entry) return labelOf(texts, path);
  return entry.keys === "" ? "" : labelOf(texts, `${entry.list}[].${entry.keys}`);
}

function entryOf(path: string) {
  const [list = "", id = "", ...keys] = path.split(".");
  return list === "plans" || list === "plugs" ? { list, id, keys: keys.join(".") } : null;
}

/** Name of a plan, plug or setting. */
function thingOf({ path, before, after }: Difference, store: PageTools["store"], texts: FormTexts): string {
  const entry = entryOf(path);
  const [section = ""] = path.split(".");
  if (!entry) return labelOf(texts, ACCOUNTS.includes(section) ? "service" : section);
  const known = (after ?? before ?? {}) as { readonly name?: unknown };
  const plan = store.plans.value?.find(({ id }) => entry.list === "plans" && id === entry.id);
  return typeof known.name === "string" ? known.name : (plan?.name ?? plainName(entry.id));
}
