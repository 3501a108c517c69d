/** Holidays of homes and places, in which their plans do not run: of the configuration, or set at run time. */
import { message, placed } from "../core/language/text.ts";
import { type PlanCommanded, refusedCommand } from "../core/planning/command-refusal.ts";
import type { Away } from "../core/planning/model/plan-spec.ts";
import { readAway } from "../core/planning/setting-rows.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { noteChange } from "../storage/noted-changes.ts";
import type { PricedHome } from "./priced-homes.ts";

export interface HolidaysDeps {
  readonly homes: { named(id: string): PricedHome | null };
  /** Stores the holidays that are set at run time. */
  readonly memory: KeyValue;
  /** Called after a change. */
  readonly onSet: (home: string, now: EpochMs) => void;
}

export class Holidays {
  readonly #deps: HolidaysDeps;
  /** Texts that were set, keyed by home. Bounded by the homes and places. */
  readonly #texts = new Map<string, string>();

  constructor(deps: HolidaysDeps) {
    this.#deps = deps;
  }

  of(home: string): Away | null {
    const text = this.#texts.get(home) ?? this.#deps.memory.read(memoryName(home)) ?? "";
    this.#texts.set(home, text);
    const set = readAway(text);
    if (set === "home") return null;
    return set ?? this.#deps.homes.named(home)?.away ?? null;
  }

  /** Sets the holiday of a home or a place. An empty text restores that of the configuration. */
  set(home: string, given: string, now: EpochMs, caller: string | null = null): PlanCommanded {
    if (!this.#deps.homes.named(home)) return refusedCommand("unknown_plan", message("refused.no_home", { home }));
    const text = given.trim();
    const found = message("mistake.value_quoted", { text: text.slice(0, 40) });
    const expected = message("mistake.expected_away");
    if (text !== "" && readAway(text) === null)
      return refusedCommand(
        "unreadable_setting",
        placed("away", message("mistake.value", { expected, found, hint: "" })),
      );
    const before = this.#deps.memory.read(memoryName(home)) || null;
    const isSame = (text || null) === before;
    noteChange(
      this.#deps.memory,
      { now, caller },
      isSame ? [] : [{ path: `away.${home}`, before, after: text || null }],
    );
    this.#deps.memory.write(memoryName(home), text);
    this.#texts.set(home, text);
    this.#deps.onSet(home, now);
    return { kind: "done" };
  }
}

function memoryName(home: string): string {
  return `away/${home}`;
}
