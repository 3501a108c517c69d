/** Assertion of what must hold so that nobody is hurt, kept also in the built program. */

/** A promise of the program that does not hold: a fault of the program, never of its input. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/**
 * Throws an `InvariantError` if `condition` is false. The caller stops this one step and keeps its safe state.
 * @param what The promise that does not hold, in English and without a secret, such as "a request has a permit".
 */
export function invariant(condition: boolean, what: string): asserts condition {
  if (!condition) throw new InvariantError(`invariant: ${what}`);
}
