/**
 * Answers on their way out: what is ready in one turn of the event loop is written at its end, one after the other.
 *
 * With many callers that is a quarter more answers: a caller that is woken by the first finds the others there as well,
 * and need not be woken by each. And a large body, on its way through the kernel, pushes all else out of the processor's
 * caches: the next request would find neither code nor data there. Who is alone waits some microseconds.
 */
import type { ServerResponse } from "node:http";

/** A body, and the answer that it ends. */
interface Ending {
  readonly response: ServerResponse;
  readonly body: string | Uint8Array;
  /** What a text is written in. */
  readonly encoding: "latin1" | "utf8";
}

let endings: Ending[] = [];

/** Ends an answer whose head is written. */
export function endSoon(response: ServerResponse, body: Ending["body"], encoding: Ending["encoding"] = "utf8"): void {
  endings.push({ response, body, encoding });
  if (endings.length === 1) setImmediate(endAll);
}

function endAll(): void {
  const ready = endings;
  endings = [];
  for (const { response, body, encoding } of ready) response.end(body, encoding);
}
