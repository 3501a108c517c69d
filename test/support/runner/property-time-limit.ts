/**
 * Limits the time of each property test, so that the search for a smaller counterexample ends too. It would otherwise
 * run for hours with slow properties, and no test timeout can interrupt a synchronous one. Without a counterexample
 * the property then fails as interrupted.
 */
import * as fc from "fast-check";

const LIMIT_MS = 240_000;

if (process.env.ELBRO_NIGHTLY !== "1")
  fc.configureGlobal({ interruptAfterTimeLimit: LIMIT_MS, markInterruptAsFailure: true });
