/**
 * What V8 does of itself and is told not to do, once a start is over: compiled code, also what Node brings of its own,
 * holds for the flags it was made with. On the command line they would cost each start 13 ms.
 */
import { setFlagsFromString } from "node:v8";
import { keepCode } from "./compiled-code.ts";

const UNWANTED = [
  // To allocate as old what did not die young once: a large answer would be collected slowly ever after.
  "allocation-site-pretenuring",
  // To let young objects be while old ones are marked: new memory for them, which V8 keeps, is 10 MB in busy hours.
  "separate-gc-phases",
  // To collect young objects in a turn of their own, before their space is full: a quarter more collections.
  "minor-gc-task",
];
/**
 * The last and largest of V8's compilers. The pages of it that a few functions touch are 5 MB, and code that runs now
 * and then is no faster by it.
 */
const FOR_SPEED = "turbofan";

/** Has the compilers before it make code that can still be given to it later. */
const FOR_LATER = "force-emit-interrupt-budget-checks";

let isForSpeed = false;

/** Tells V8. To be called as soon as the start is over: memory that was touched once stays. */
export function tellV8(): void {
  for (const flag of UNWANTED) setFlagsFromString(`--no-${flag}`);
  setFlagsFromString(`--${FOR_LATER}`);
  setFlagsFromString(isForSpeed ? `--${FOR_SPEED}` : `--no-${FOR_SPEED}`);
}

/** From now on speed is worth memory. */
export function compileForSpeed(): void {
  isForSpeed = true;
  tellV8();
}

/** Keeps compiled code, which has to say that it was made with the flags of a start. */
export function keepCodeOfStart(): void {
  for (const flag of [...UNWANTED, FOR_SPEED]) setFlagsFromString(`--${flag}`);
  setFlagsFromString(`--no-${FOR_LATER}`);
  keepCode();
  tellV8();
}
