/** Calls a function often, and says after each thing that V8 is told which of its compilers made the function's code. */
import { setTimeout as pause } from "node:timers/promises";
import { compileForSpeed, keepCodeOfStart, tellV8 } from "../../../src/v8-flags.ts";

const CALLS = 100_000;
const MOST_TURNS = 100;
/** Source: OptimizationStatus in V8's runtime.h. */
const MAGLEV = 1 << 5;
const TURBOFAN = 1 << 6;

const statusOf = new Function("hot", "return %GetOptimizationStatus(hot)") as (hot: unknown) => number;

function hot(n: number): number {
  let sum = 0;
  for (let i = 0; i < 8; i++) sum = (sum * 31 + n + i) % 1_000_003;
  return sum;
}

function compilerOf(status: number): string {
  if (status & TURBOFAN) return "turbofan";
  return status & MAGLEV ? "maglev" : "none";
}

/** Compilers work beside; so it waits for the one that is wanted, or for a while. */
async function run(wanted: string): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    callOften();
    await pause(1);
    if (compilerOf(statusOf(hot)) === wanted) break;
  }
  console.log(compilerOf(statusOf(hot)));
}

function callOften(): void {
  for (let i = 0; i < CALLS; i++) hot(i);
}

// Compiled itself, it would have the function within it.
new Function("caller", "%NeverOptimizeFunction(caller)")(callOften);
tellV8();
await run("turbofan");
keepCodeOfStart();
await run("turbofan");
compileForSpeed();
await run("turbofan");
