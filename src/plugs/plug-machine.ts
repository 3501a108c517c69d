/** The machine behind a plug with `starts_when` or `ends_when`: what its plan learns, and what the plug does meanwhile. */
import * as z from "zod/mini";
import type { PlugConfig } from "../config/schema/plug-schema.ts";
import { readDuration } from "../core/planning/model/plan-definition.ts";
import type { PlanMachine } from "../core/planning/plan-input.ts";
import {
  doneAt,
  type MachineMoment,
  type MachineRules,
  type MachineState,
  machineAt,
  machinePhases,
  NO_MACHINE,
} from "../core/plugs/machine.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { EpochMs } from "../core/time/interval.ts";

export interface PlugMachineDeps {
  /** Tells the plans of a plug what it knows of their machine; undefined if it does not watch it any more. */
  readonly machineIs: (plug: PlugConfig, machine: PlanMachine | undefined, now: EpochMs | null) => void;
  /** Returns whether a plan of the plug would run a machine that is started now. */
  readonly takesMachine: (plug: PlugConfig, now: EpochMs) => boolean;
  readonly memory: KeyValue;
}

const keptPhase = z.object({ phase: z.enum(machinePhases) });

export class PlugMachine {
  readonly #config: PlugConfig;
  readonly #memoryName: string;
  readonly #deps: PlugMachineDeps;
  readonly #rules: MachineRules;
  #state: MachineState;

  constructor(id: string, config: PlugConfig, deps: PlugMachineDeps) {
    const { starts_when: starts, ends_when: ends } = config;
    this.#config = config;
    this.#memoryName = `plug/${id}/machine`;
    this.#deps = deps;
    this.#rules = {
      ...(starts ? { startsWhen: { aboveWatts: starts.above_w } } : {}),
      ...(ends ? { endsWhen: { belowWatts: ends.below_w, forMs: readDuration(ends.for) ?? 0 } } : {}),
    };
    const stored = starts ? readJson(deps.memory, this.#memoryName, keptPhase) : null;
    this.#state = { ...NO_MACHINE, phase: stored?.phase ?? "absent" };
    this.tell();
  }

  get isWatched(): boolean {
    return this.#rules.startsWhen !== undefined || this.#rules.endsWhen !== undefined;
  }

  /** True while the plug is ON so that the machine can be started manually. */
  get isReady(): boolean {
    return this.#rules.startsWhen !== undefined && ["absent", "released", "done"].includes(this.#state.phase);
  }

  take(moment: Omit<MachineMoment, "isTaken">, now: EpochMs): void {
    const { startsWhen } = this.#rules;
    const isTaken = startsWhen !== undefined && this.#deps.takesMachine(this.#config, now);
    const before = this.#state;
    this.#state = machineAt(before, { ...moment, isTaken }, this.#rules, now);
    if (this.#state.phase === before.phase) return;
    if (startsWhen) this.#deps.memory.write(this.#memoryName, JSON.stringify({ phase: this.#state.phase }));
    this.tell(now);
  }

  /** Returns when it is done if its power stays low. */
  get wakeAt(): EpochMs {
    return doneAt(this.#state, this.#rules) ?? Number.POSITIVE_INFINITY;
  }

  /** Ends the watch, because the plug was removed or changed. */
  close(): void {
    if (this.isWatched) this.#deps.machineIs(this.#config, undefined, null);
  }

  tell(now: EpochMs | null = null): void {
    const { phase } = this.#state;
    if (phase === "done") this.#deps.machineIs(this.#config, "done", now);
    else if (this.#rules.startsWhen)
      this.#deps.machineIs(this.#config, phase === "waits" || phase === "runs" ? "waits" : "absent", now);
    else if (this.#rules.endsWhen) this.#deps.machineIs(this.#config, undefined, now);
  }
}
