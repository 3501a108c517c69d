import * as z from "zod/mini";
import { parseInstant } from "../service/contract/range.ts";

/** Schema of an RFC 3339 date-time in JSON, parsed to epoch ms. */
export const instant = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const reading = parseInstant(text);
    if (reading.kind === "value") return reading.value;
    context.issues.push({ code: "custom", input: text, message: reading.why });
    return z.NEVER;
  }),
);
