/** Names in the configuration that stand for something else in it: a plug's plan and home, a plan's home. */
import { slugOf } from "../core/text/slug.ts";
import { type PlanEntry, planIds } from "./plan-schema.ts";
import type { PlugConfig } from "./plug-schema.ts";
import { unknownText } from "./suggest-key.ts";
import type { Mistake } from "./values.ts";

interface Referring {
  readonly plans: readonly PlanEntry[];
  readonly plugs: readonly PlugConfig[];
  readonly homes?: readonly { readonly id?: string | undefined }[] | undefined;
  readonly third_party?: { readonly places: readonly { readonly name: string }[] } | undefined;
}

/** Every name that stands for nothing. A home's name is known here only where all homes are listed with their ids. */
export function referenceMistakes({ plans, plugs, homes, third_party }: Referring): Mistake[] {
  const ids = planIds(plans);
  const homeIds = homes?.flatMap(({ id }) => id ?? []) ?? [];
  const namesHomes = homes !== undefined && homeIds.length === homes.length;
  const homesAndPlaces = [...homeIds, ...(third_party?.places ?? []).map(({ name }) => slugOf(name))];
  const homeMistake = (path: (string | number)[], home: string | undefined, known: string[]): Mistake[] =>
    !namesHomes || home === undefined || known.includes(home)
      ? []
      : [{ path, text: unknownText("a home", home, known) }];
  return [
    ...plans.flatMap(({ home }, i) => homeMistake(["plans", i, "home"], home, homeIds)),
    ...plugs.flatMap(({ plan, home }, i) => {
      const homePath = ["plugs", i, "home"];
      if (plan === undefined) return homeMistake(homePath, home, homesAndPlaces);
      const followed = plans[ids.indexOf(plan)];
      if (!followed) return [{ path: ["plugs", i, "plan"], text: unknownText("a plan", plan, ids) }];
      if (home === undefined || home === followed.home) return [];
      return [{ path: homePath, text: `expected ${followed.home}, the home of the plan ${plan}, found "${home}"` }];
    }),
  ];
}
