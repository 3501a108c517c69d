import * as z from "zod/mini";
import { parseInstant } from "../contract/range.ts";

/** An RFC 3339 date-time in JSON, read to epoch milliseconds. */
export const instant = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const reading = parseInstant(text);
    if (reading.kind === "value") return reading.value;
    context.issues.push({ code: "custom", input: text, message: reading.why });
    return z.NEVER;
  }),
);
