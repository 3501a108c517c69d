/** Decided signals of plans, for plugs. */

import type { Language } from "../core/language/language.ts";
import { message, textIn } from "../core/language/text.ts";
import type { PlanSlot } from "../core/planning/group/plan-dependencies.ts";
import { whenLostOf } from "../core/planning/model/plan-spec.ts";
import type { PlanSnapshot } from "../core/planning/snapshot/plan-snapshot.ts";
import type { Wanted } from "../core/plugs/plug-types.ts";

/** Returns the decided signal of a plan. `snapshot`: null before its first decision. */
export function wantedBy({ spec, advance }: PlanSlot, snapshot: PlanSnapshot | null, language: Language): Wanted {
  const { running, on, lost } = advance;
  const whenLost = lost ? { lost: whenLostOf(spec) } : {};
  const reason = snapshot?.reason.text ?? textIn(language, message("plan.nothing_known"));
  const { maxGapMs } = spec.kind === "avoid" ? spec : {};
  const longest = maxGapMs === undefined ? {} : { maxOffMs: maxGapMs };
  return { on, until: running?.end ?? (on ? null : (snapshot?.nextStart ?? null)), reason, ...longest, ...whenLost };
}

/** Returns ON while any of several plans wants it, with the reasons of those plans; null without plans. */
export function wantedByAny(known: readonly Wanted[]): Wanted | null {
  const [only] = known;
  if (!only || known.length === 1) return only ?? null;
  const on = known.some((wanted) => wanted.on);
  const deciding = known.filter((wanted) => wanted.on === on);
  const times = deciding.flatMap(({ until }) => until ?? []);
  const isOpen = times.length === 0 || (on && times.length < deciding.length);
  const until = isOpen ? null : on ? Math.max(...times) : Math.min(...times);
  // If a plan with known prices wants ON, `when_lost` of the others does not matter.
  const isKnownOn = known.some((wanted) => wanted.on && wanted.lost === undefined);
  const lost = (["on", "keep", "off"] as const).find((each) => known.some((wanted) => wanted.lost === each));
  const whenLost = lost === undefined || isKnownOn ? {} : { lost };
  const maxOffMs = Math.min(...known.map((wanted) => wanted.maxOffMs ?? Number.POSITIVE_INFINITY));
  const longest = maxOffMs === Number.POSITIVE_INFINITY ? {} : { maxOffMs };
  return { on, until, reason: deciding.map(({ reason }) => reason).join("; "), ...longest, ...whenLost };
}
