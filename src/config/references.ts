/** Checks references in the configuration: a plug's plan and home, a plan's home, a home's id in Home Assistant. */
import { slugOf } from "../core/text/slug.ts";
import { groupMistakes, type PlanEntry, planIds } from "./plan-schema.ts";
import { type PlugConfig, plansOf } from "./plug-schema.ts";
import { unknownText } from "./suggest-key.ts";
import { type Mistake, repeated } from "./values.ts";

interface Referring {
  readonly plans: readonly PlanEntry[];
  readonly plugs: readonly PlugConfig[];
  readonly groups: Parameters<typeof groupMistakes>[1];
  readonly homes?: readonly { readonly id?: string | undefined }[] | undefined;
  readonly home_assistant?: object | undefined;
  readonly third_party?: { readonly places: readonly { readonly name: string }[] } | undefined;
}

/**
 * Returns a mistake for each home whose id is the same as another's in Home Assistant.
 * Only letters, digits and single underscores are allowed there. The two would share their statistics.
 */
export function statisticIdMistakes(homes: Referring["homes"] = []): Mistake[] {
  const names = homes.map(({ id }) => (id === undefined ? undefined : slugOf(id)));
  return repeated(names).flatMap(({ name, index, first }) => {
    const [id, owner] = [homes[index]?.id, homes[first]?.id];
    const text = `"${id}" and "${owner}" are both "${name}" in Home Assistant's statistics; change one of them`;
    // Two equal ids are reported elsewhere.
    return id === owner ? [] : [{ path: ["homes", index, "id"], text }];
  });
}

/**
 * Returns the mistakes of all unknown names. Names of homes are checked only if all homes are listed with their ids.
 */
export function referenceMistakes(given: Referring): Mistake[] {
  const { plans, plugs, groups, homes, home_assistant, third_party } = given;
  const ids = planIds(plans);
  const homeIds = homes?.flatMap(({ id }) => id ?? []) ?? [];
  const namesHomes = homes !== undefined && homeIds.length === homes.length;
  const homesAndPlaces = [...homeIds, ...(third_party?.places ?? []).map(({ name }) => slugOf(name))];
  const homeMistake = (path: (string | number)[], home: string | undefined, known: string[]): Mistake[] =>
    !namesHomes || home === undefined || known.includes(home)
      ? []
      : [{ path, text: unknownText("a home", home, known) }];
  return [
    ...groupMistakes(plans, groups),
    ...(home_assistant ? statisticIdMistakes(homes) : []),
    ...plans.flatMap(({ home }, i) => homeMistake(["plans", i, "home"], home, homeIds)),
    ...plugs.flatMap((plug, i) => {
      const { home } = plug;
      const homePath = ["plugs", i, "home"];
      if (plug.plan === undefined) return homeMistake(homePath, home, homesAndPlaces);
      return plansOf(plug).flatMap((plan): Mistake[] => {
        const followed = plans[ids.indexOf(plan)];
        if (!followed) return [{ path: ["plugs", i, "plan"], text: unknownText("a plan", plan, ids) }];
        if (home === undefined || home === followed.home) return [];
        return [{ path: homePath, text: `expected ${followed.home}, the home of the plan ${plan}, found "${home}"` }];
      });
    }),
  ];
}

interface Fleet {
  readonly accounts_dir?: string | undefined;
  readonly shard?: { readonly index?: number | undefined; readonly count: number } | undefined;
  readonly mqtt: { readonly url?: string | undefined };
}

/** Sections that belong in the account files if `accounts_dir` is set. */
const IN_ACCOUNT_FILES = ["consumer", "homes", "plans", "groups", "plugs"] as const;

/** Returns the mistakes between `accounts_dir`, `shard` and the other keys. */
export function fleetMistakes(given: Fleet & Readonly<Record<string, unknown>>): Mistake[] {
  const { accounts_dir, shard, mqtt } = given;
  const found: Mistake[] = [];
  if (accounts_dir !== undefined)
    for (const section of IN_ACCOUNT_FILES)
      if (given[section] !== undefined && [given[section]].flat().length > 0)
        found.push({ path: [section], text: "belongs in the files of accounts_dir if that is set; found it here" });
  if (shard === undefined) return found;
  const { index, count } = shard;
  if (accounts_dir === undefined) found.push({ path: ["accounts_dir"], text: "is required with shard; found nothing" });
  if (mqtt.url === undefined)
    found.push({
      path: ["mqtt", "url"],
      text: "is required with shard, because all shards share one broker; found nothing",
    });
  if (index === undefined)
    found.push({
      path: ["shard", "index"],
      text: "expected a number, or a hostname that ends in a number such as elbro-3; found neither",
    });
  else if (index >= count)
    found.push({
      path: ["shard", "index"],
      text: `expected less than count (${count}), because the index starts at 0; found ${index}`,
    });
  return found;
}
