/** Prints how many milliseconds the first plan of a process takes, with nothing compiled: 96 of 672 intervals in 10 runs. */
import { solveWeek, weekCases } from "../plans/plan-weeks.ts";

const [first] = weekCases();
if (!first) throw new Error("there are no real prices");
const before = performance.now();
solveWeek(first);
console.log(performance.now() - before);
