/**
 * Settings of all property tests. `npm test` runs them with a fixed seed, so that it always tests the same cases;
 * ELBRO_NIGHTLY=1 runs more cases with a seed of its own, which a failure prints.
 *
 * The time limit also ends the search for a smaller counterexample. It would otherwise run for hours with slow
 * properties, and no test timeout can interrupt a synchronous one. Without a counterexample the property then fails as
 * interrupted.
 */
import * as fc from "fast-check";
import { HANG_MS } from "./time-limits.ts";

if (process.env.ELBRO_NIGHTLY !== "1")
  fc.configureGlobal({ seed: 3, interruptAfterTimeLimit: HANG_MS, markInterruptAsFailure: true });
