/** What a change did: its verb with the things it changed, such as "Deleted: Car", and the labels of its keys. */
import type { PageState } from "../../api/settings/history.ts";
import { planActions } from "../../core/planning/plan-commands.ts";
import { type FormTexts, labelOf, plainName, textOf } from "../forms/form-texts.ts";
import type { PageTools } from "../page.ts";
import type { Translate } from "../words/language.ts";

type Difference = NonNullable<PageState["differences"]>[number];

/** Sections with the keys of the service, which have one form. */
const ACCOUNTS = ["consumer", "third_party"];

/** Marks a secret in place of its value. */
export const SECRET = "(set)";

/** Returns the verb with what was changed; null if the differences are not known. */
export function changeText({ differences }: PageState, page: PageTools, texts: FormTexts): string | null {
  const [first] = differences ?? [];
  if (!differences || !first) return null;
  const names = new Set(differences.map((each) => thingOf(each, page, texts)));
  const entry = entryOf(first.path);
  const command = entry?.keys === "command" && planActions.find((each) => each === first.after);
  const isWhole = entry?.keys === "";
  const verb =
    command || (isWhole && first.before === null ? "created" : isWhole && first.after === null ? "deleted" : "changed");
  return page.t(`change_${verb}`, { name: [...names].join(", ") });
}

/** Returns what a change made of a field, in words of the form; null for a whole plan, plug or key, and for a command. */
export function fieldChange(
  { path, before, after }: Difference,
  { t, store }: PageTools,
  { texts, system }: { readonly texts: FormTexts; readonly system: Translate<"system"> },
): string | null {
  const entry = entryOf(path);
  // The path of the field in the form, such as `plans[].hours` for `plans.car.hours`.
  const field = entry === null ? path : entry.keys && `${entry.list}[].${entry.keys}`;
  if (field === "" || entry?.keys === "command") return null;
  const names = /\.(home|plans?)$/.test(field) ? [...store.homes.value, ...(store.plans.value ?? [])] : [];
  const shown = (value: unknown): string => {
    if (value === null || value === undefined) return system("history_nothing");
    if (Array.isArray(value)) return value.map(shown).join(", ");
    if (value === SECRET || typeof value === "object") return system("setting_secret");
    if (typeof value === "boolean") return t(value ? "form_yes" : "form_no");
    const text = String(value).replace(/^(\S+)\/(\S+)$/, path.startsWith("away.") ? "$1 – $2" : "$&");
    return names.find(({ id }) => id === text)?.name ?? textOf(texts, field)?.options?.[text] ?? text;
  };
  const facts = {
    what: path.startsWith("away.") ? t("away") : labelOf(texts, field),
    before: shown(before),
    after: shown(after),
  };
  const isHidden = facts.before === facts.after;
  return isHidden ? `${facts.what}: ${system("history_secret")}` : system("history_change", facts);
}

function entryOf(path: string) {
  const [list = "", id = "", ...keys] = path.split(".");
  return ["plans", "plugs", "keys"].includes(list) ? { list, id, keys: keys.join(".") } : null;
}

/** Name of a plan, plug or setting. */
function thingOf({ path, before, after }: Difference, { t, store }: PageTools, texts: FormTexts): string {
  const entry = entryOf(path);
  const [section = ""] = path.split(".");
  if (section === "away") return t("away");
  if (!entry) return labelOf(texts, ACCOUNTS.includes(section) ? "service" : section);
  const known = (after ?? before ?? {}) as { readonly name?: unknown };
  const plan = store.plans.value?.find(({ id }) => entry.list === "plans" && id === entry.id);
  return typeof known.name === "string" ? known.name : (plan?.name ?? plainName(entry.id));
}
