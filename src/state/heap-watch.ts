/** Detects that Node's heap limit is too low for the number of homes. Node would then end the daemon. */

import { getHeapStatistics } from "node:v8";
import { message } from "../core/language/text.ts";
import { heapFlagsFor, heapMbFor } from "../core/status/heap-size.ts";
import { type Problems, setProblem } from "../core/status/problem.ts";
import type { EpochMs } from "../core/time/interval.ts";

const MB = 1024 * 1024;

export class HeapWatch {
  readonly #limitMb: number;

  constructor(limitMb: number = getHeapStatistics().heap_size_limit / MB) {
    this.#limitMb = limitMb;
  }

  report(problems: Pick<Problems, "start" | "end">, homes: number, now: EpochMs): void {
    const [needed, limit] = [heapMbFor(homes), Math.floor(this.#limitMb)];
    const detail = this.#limitMb >= needed ? null : message("found.memory", { homes, needed, limit });
    const names = { flags: heapFlagsFor(homes) };
    setProblem(problems, { code: "memory_too_small", subject: "memory", since: now, names, detail });
  }
}
