/** Promises of the program that did not hold since the last test, in this process and in those of daemons. */
import { type ProblemFound, Problems } from "../../../src/core/status/problem.ts";

const broken: string[] = [];

/** Returns the promises that did not hold, and forgets them. A test that breaks one on purpose calls this. */
export function takeBrokenPromises(): string[] {
  return broken.splice(0);
}

/** Takes a line of the log of a daemon in its own process. */
export function noteBrokenPromise(line: string): void {
  if (line.includes("promise_broken")) broken.push(line);
}

const start = Problems.prototype.start;
// Every daemon and every part of one in this process reports to such a list.
Problems.prototype.start = function (this: Problems, found: ProblemFound): void {
  start.call(this, found);
  if (found.code === "promise_broken") broken.push(this.of(found.subject)?.detail ?? "");
};
