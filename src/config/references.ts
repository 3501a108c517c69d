/** Checks references in the configuration: a plug's plan and home, a plan's home, a home's id in Home Assistant. */
import { message } from "../core/language/text.ts";
import { plugFamilies } from "../core/plugs/families/families.ts";
import type { PlugFamilyRow } from "../core/plugs/families/plug-family.ts";
import { slugOf } from "../core/text/slug.ts";
import { entryId } from "./entry-list.ts";
import { groupMistakes } from "./plan-list.ts";
import { quoted, unknownId } from "./reading/suggest-key.ts";
import type { PlanEntry } from "./schema/plan-schema.ts";
import { type PlugConfig, plansOf, whenLostOfPlug } from "./schema/plug-schema.ts";
import { repeated, type ValueMistake } from "./schema/values.ts";

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
export function statisticIdMistakes(homes: Referring["homes"] = []): ValueMistake[] {
  const names = homes.map(({ id }) => (id === undefined ? undefined : slugOf(id)));
  return repeated(names).flatMap(({ name, index, first }) => {
    const [id, owner] = [homes[index]?.id, homes[first]?.id];
    // Two equal ids are reported elsewhere.
    if (id === undefined || owner === undefined || name === undefined || id === owner) return [];
    return [{ path: ["homes", index, "id"], ...message("mistake.same_statistics", { id, owner, name }) }];
  });
}

/**
 * Returns the mistakes of all unknown names. Names of homes are checked only if all homes are listed with their ids.
 */
export function referenceMistakes(config: Referring): ValueMistake[] {
  const { plans, plugs, groups, homes, home_assistant, third_party } = config;
  const ids = plans.map(entryId);
  const homeIds = homes?.flatMap(({ id }) => id ?? []) ?? [];
  const namesHomes = homes !== undefined && homeIds.length === homes.length;
  // Without any account elbro runs a demo, which has homes.
  const withoutHomes =
    homes === undefined &&
    third_party !== undefined &&
    config.consumer === undefined &&
    config.accounts_dir === undefined;
  const placeIds = (third_party?.places ?? []).map(({ name }) => slugOf(name));
  const homesAndPlaces = [...homeIds, ...placeIds];
  const homeMistake = (path: (string | number)[], home: string | undefined, known: string[]): ValueMistake[] =>
    !namesHomes || home === undefined || known.includes(home) ? [] : [{ path, ...unknownId("home", home, known) }];
  return [
    ...groupMistakes(plans, groups),
    ...(home_assistant ? statisticIdMistakes(homes) : []),
    ...plans.flatMap(({ home }, i) => {
      const path = ["plans", i, "home"];
      if (!withoutHomes) return homeMistake(path, home, homesAndPlaces);
      const facts = { found: quoted(home), known: placeIds.join(", ") };
      return placeIds.includes(home) ? [] : [{ path, ...message("mistake.no_account", facts) }];
    }),
    ...restMistakes(plugs, plans),
    ...plugs.flatMap((plug, i) => {
      const { home } = plug;
      const homePath = ["plugs", i, "home"];
      if (plug.plan === undefined) return homeMistake(homePath, home, homesAndPlaces);
      return plansOf(plug).flatMap((plan): ValueMistake[] => {
        const followed = plans[ids.indexOf(plan)];
        if (!followed) return [{ path: ["plugs", i, "plan"], ...unknownId("plan", plan, ids) }];
        if (home === undefined || home === followed.home) return [];
        const facts = { home: followed.home, plan, found: quoted(home) };
        return [{ path: homePath, ...message("mistake.plan_home", facts) }];
      });
    }),
  ];
}

/**
 * Returns a mistake for each plug with another `when_lost` than an earlier plug of the same device, if the device has one
 * setting for both. Otherwise the last command would decide the resting state of all.
 */
function restMistakes(plugs: readonly PlugConfig[], plans: readonly PlanEntry[]): ValueMistake[] {
  const rests = plugs.map((plug) => whenLostOfPlug(plug, plans));
  const devices = plugs.map(({ family, topic, url }) => {
    const { shared }: PlugFamilyRow = plugFamilies[family];
    return shared === undefined ? undefined : `${family} ${url ?? topic}`;
  });
  return repeated(devices).flatMap(({ index, first }): ValueMistake[] => {
    const [found, expected] = [rests[index], rests[first]];
    const { shared = "" }: PlugFamilyRow = plugFamilies[plugs[index]?.family ?? "tasmota"];
    if (found === expected || found === undefined || expected === undefined) return [];
    const facts = { expected, first, shared, found };
    return [{ path: ["plugs", index, "when_lost"], ...message("mistake.shared_setting", facts) }];
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
export function fleetMistakes(config: Fleet & Readonly<Record<string, unknown>>): ValueMistake[] {
  const { accounts_dir, shard, mqtt } = config;
  const found: ValueMistake[] = [];
  if (accounts_dir !== undefined)
    for (const section of IN_ACCOUNT_FILES)
      if (config[section] !== undefined && [config[section]].flat().length > 0)
        found.push({ path: [section], ...message("mistake.in_account_files") });
  if (shard === undefined) return found;
  const { index, count } = shard;
  if (accounts_dir === undefined) found.push({ path: ["accounts_dir"], ...message("mistake.with_shard") });
  if (mqtt.url === undefined) found.push({ path: ["mqtt", "url"], ...message("mistake.broker_with_shard") });
  if (index === undefined) found.push({ path: ["shard", "index"], ...message("mistake.shard_index") });
  else if (index >= count)
    found.push({ path: ["shard", "index"], ...message("mistake.shard_count", { count, found: index }) });
  return found;
}
