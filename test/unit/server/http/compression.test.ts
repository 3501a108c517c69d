import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { smaller } from "../../../../src/server/http/compression.ts";
import type { LocalAnswer } from "../../../../src/server/http/response.ts";

const LONG = { prices: Array.from({ length: 200 }, (_, i) => ({ start: i, price: 1.25 })) };
const answer: LocalAnswer = { kind: "json", body: LONG, headers: { ETag: '"a"' } };

test.each([
  ["br", "gzip, deflate, br", brotliDecompressSync],
  ["gzip", "gzip", gunzipSync],
] as const)("a long answer is sent as %s to who takes %s", async (coding, taken, decode) => {
  const sent = await smaller(answer, { "accept-encoding": taken });
  if (sent.kind !== "bytes") throw new Error(sent.kind);
  expect(sent.headers).toEqual({ ETag: '"a"', "Content-Encoding": coding, Vary: "Accept-Encoding" });
  expect(sent.type).toBe("application/json");
  expect(JSON.parse(decode(sent.bytes).toString())).toEqual(LONG);
  expect(sent.bytes.length).toBeLessThan(JSON.stringify(LONG).length / 3);
});

test("what is short, an error, a stream, or coded already is sent as it is, and so is everything to who takes nothing", async () => {
  const bytes = Buffer.alloc(5_000);
  const others: LocalAnswer[] = [
    { kind: "json", body: { a: 1 } },
    { kind: "error", code: "not_known", reason: "x".repeat(5_000) },
    { kind: "stream", type: "text/event-stream", write: () => undefined },
    { kind: "bytes", bytes, type: "application/json", headers: { "Content-Encoding": "gzip" } },
    { kind: "bytes", bytes, type: "text/javascript; charset=utf-8" },
  ];
  for (const one of others) expect(await smaller(one, { "accept-encoding": "gzip, br" })).toBe(one);
  expect(await smaller(answer, {})).toBe(answer);
});
