import { type RowsText, writingRowsJson } from "../../src/core/columns-json.ts";

/** The body of an answer, written in one go. */
export function rowsJson(text: RowsText): Uint8Array {
  const writing = writingRowsJson(text, (count) => new Uint8Array(count));
  for (let step = writing.next(); ; step = writing.next()) if (step.done) return step.value;
}
