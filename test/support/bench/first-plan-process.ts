/**
 * Prints the time of the first plan in a new process, in ms: 96 of 672 intervals in 10 runs, with nothing compiled.
 */
import { solveWeek, weekCases } from "../plans/plan-weeks.ts";

const [first] = weekCases();
if (!first) throw new Error("there are no real prices");
const before = performance.now();
solveWeek(first);
console.log(performance.now() - before);
