/** Checks references in the configuration: a plug's plan and home, a plan's home, a home's id in Home Assistant. */
import { plugFamilies } from "../core/plugs/families/families.ts";
import type { PlugFamilyRow } from "../core/plugs/families/plug-family.ts";
import { slugOf } from "../core/text/slug.ts";
import { groupMistakes, type PlanEntry, planIds } from "./plan-schema.ts";
import { type PlugConfig, plansOf, whenLostOfPlug } from "./plug-schema.ts";
import { unknownText } from "./suggest-key.ts";
import { type Mistake, repeated } from "./values.ts";

interface Referring {
  readonly plans: readonly PlanEntry[];
  readonly plugs: readonly PlugConfig[];
  readonly groups: Parameters<typeof groupMistakes>[1];
  readonly homes?: readonly { readonly id?: string | undefined }[] | undefined;
  readonly home_assistant?: object | undefined;
  readonly third_party?: { readonly places: readonly { readonly name: string }[] } | undefined;
  readonly consumer?: object | undefined;
  readonly accounts_dir?: string | undefined;
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
  // Without any account elbro runs a demo, which has homes.
  const withoutHomes =
    homes === undefined &&
    third_party !== undefined &&
    given.consumer === undefined &&
    given.accounts_dir === undefined;
  const homesAndPlaces = [...homeIds, ...(third_party?.places ?? []).map(({ name }) => slugOf(name))];
  const homeMistake = (path: (string | number)[], home: string | undefined, known: string[]): Mistake[] =>
    !namesHomes || home === undefined || known.includes(home)
      ? []
      : [{ path, text: unknownText("a home", home, known) }];
  return [
    ...groupMistakes(plans, groups),
    ...(home_assistant ? statisticIdMistakes(homes) : []),
    ...plans.flatMap(({ home }, i) =>
      withoutHomes
        ? [
            {
              path: ["plans", i, "home"],
              text: `expected a home of an account (consumer), found "${home}"; ${NO_HOMES}`,
            },
          ]
        : homeMistake(["plans", i, "home"], home, homeIds),
    ),
    ...restMistakes(plugs, plans),
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

const NO_HOMES = "third_party has places only, which plugs can follow with signal, but not plans";

/**
 * Returns a mistake for each plug with another `when_lost` than an earlier plug of the same device, if the device has one
 * setting for both. Otherwise the last command would decide the resting state of all.
 */
function restMistakes(plugs: readonly PlugConfig[], plans: readonly PlanEntry[]): Mistake[] {
  const rests = plugs.map((plug) => whenLostOfPlug(plug, plans));
  const devices = plugs.map(({ family, topic, url }) => {
    const { shared }: PlugFamilyRow = plugFamilies[family];
    return shared === undefined ? undefined : `${family} ${url ?? topic}`;
  });
  return repeated(devices).flatMap(({ index, first }): Mistake[] => {
    if (rests[index] === rests[first]) return [];
    const { shared }: PlugFamilyRow = plugFamilies[plugs[index]?.family ?? "tasmota"];
    const text = `expected ${rests[first]}, as for [${first}], because ${shared} is one setting of the whole device; found ${rests[index]}`;
    return [{ path: ["plugs", index, "when_lost"], text }];
  });
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
