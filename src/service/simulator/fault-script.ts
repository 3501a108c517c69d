import type { EpochMs } from "../../core/time/interval.ts";
import type { OperationId } from "../contract/operations.ts";
import type { FaultRule } from "./fault-rules.ts";

/** A script of faults in play: which of its rules strike next, and how often each has. */
export class FaultScript {
  #rules: readonly { readonly rule: FaultRule; struck: number }[] = [];

  constructor(rules: readonly FaultRule[]) {
    this.replace(rules);
  }

  /** Puts another script in place of this one and begins to count again. */
  replace(rules: readonly FaultRule[]): void {
    this.#rules = rules.map((rule) => ({ rule, struck: 0 }));
  }

  /** The rules of the script, in order, with the times each has struck. */
  get state(): readonly { readonly rule: FaultRule; readonly struck: number }[] {
    return this.#rules;
  }

  /** What strikes one answer: every delay in the order of the script, up to the first other fault that fits. */
  strike(operation: OperationId, now: EpochMs): FaultRule[] {
    const striking: FaultRule[] = [];
    for (const entry of this.#rules) {
      if (!fits(entry.rule, operation, now) || entry.struck >= (entry.rule.times ?? Infinity)) continue;
      entry.struck++;
      striking.push(entry.rule);
      if (entry.rule.fault !== "delay") break;
    }
    return striking;
  }
}

function fits({ operation, from, to }: FaultRule, asked: OperationId, now: EpochMs): boolean {
  return (operation === "*" || operation === asked) && (from ?? -Infinity) <= now && now < (to ?? Infinity);
}
