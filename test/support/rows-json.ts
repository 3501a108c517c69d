import { writingRowsJson } from "../../src/core/columns-json.ts";
import type { AnswerText } from "../../src/server/finished.ts";

/** The body of an answer, written in one go. */
export function rowsJson({ head, chunks, tail }: AnswerText): Uint8Array {
  const writing = writingRowsJson(head, chunks, tail);
  for (let step = writing.next(); ; step = writing.next()) if (step.done) return step.value;
}
