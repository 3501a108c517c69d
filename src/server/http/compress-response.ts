/** Long answers of the LAN's own routes, made smaller for who takes that: a phone at the edge of the Wi-Fi. */
import type { IncomingHttpHeaders } from "node:http";
import { compress } from "./compression.ts";
import { codingsFor } from "./negotiation.ts";
import type { LocalAnswer } from "./response.ts";

/** Shorter than this it fits into two packets anyhow. */
const MIN_BYTES = 2_048;
const JSON_TYPE = "application/json";

/** The answer, its JSON compressed where it is long and the caller takes that; any other as it is. */
export async function smaller(
  answer: LocalAnswer,
  { "accept-encoding": taken }: IncomingHttpHeaders,
): Promise<LocalAnswer> {
  const [coding = "identity"] = codingsFor(taken);
  if (coding === "identity") return answer;
  const long = longJson(answer);
  if (!long) return answer;
  const headers = { ...long.headers, "Content-Encoding": coding, Vary: "Accept-Encoding" };
  return { ...long, bytes: await compress(coding, long.bytes), headers };
}

type Bytes = Extract<LocalAnswer, { kind: "bytes" }>;

/** A long answer of JSON as its bytes; null for any other, and for one that is coded already. */
function longJson(answer: LocalAnswer): Bytes | null {
  const bytes = answer.kind === "json" ? inBytes(answer) : answer;
  if (bytes.kind !== "bytes" || bytes.type !== JSON_TYPE || bytes.headers?.["Content-Encoding"]) return null;
  return bytes.bytes.length < MIN_BYTES ? null : bytes;
}

function inBytes({ body, ...told }: Extract<LocalAnswer, { kind: "json" }>): Bytes {
  return { ...told, kind: "bytes", bytes: Buffer.from(JSON.stringify(body)), type: JSON_TYPE };
}
