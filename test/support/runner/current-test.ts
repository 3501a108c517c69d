let present = "";

/** Returns the file and name of the running test; empty outside of Vitest, where daemons are started by labs. */
export const currentTest = (): string => present;

/** Called by a setup file before each test. */
export function noteTest(test: string): void {
  present = test;
}
