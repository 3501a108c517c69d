import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { negotiated } from "../../../src/http/compression.ts";
import type { LocalAnswer } from "../../../src/http/response.ts";

const LONG = { prices: Array.from({ length: 200 }, (_, i) => ({ start: i, price: 1.25 })) };
const answer: LocalAnswer = { kind: "json", body: LONG, headers: { ETag: '"a"' } };

test.each([
  ["br", "gzip, deflate, br", brotliDecompressSync],
  ["gzip", "gzip", gunzipSync],
] as const)("a long response is sent as %s to a client that accepts %s", async (coding, taken, decode) => {
  const sent = await negotiated(answer, { "accept-encoding": taken });
  if (sent.kind !== "bytes") throw new Error(sent.kind);
  expect(sent.headers).toEqual({ ETag: `"a-${coding}"`, "Content-Encoding": coding, Vary: "Accept-Encoding" });
  expect(sent.type).toBe("application/json");
  expect(JSON.parse(decode(sent.bytes).toString())).toEqual(LONG);
  expect(sent.bytes.length).toBeLessThan(JSON.stringify(LONG).length / 3);
});

test("short responses, errors, streams and encoded bodies are not compressed", async () => {
  const bytes = Buffer.alloc(5_000);
  const others: LocalAnswer[] = [
    { kind: "bytes", bytes: Buffer.from("{}"), type: "application/json" },
    { kind: "error", code: "not_known", reason: "x".repeat(5_000) },
    { kind: "stream", type: "text/event-stream", write: () => undefined },
    {
      kind: "bytes",
      bytes,
      type: "application/json",
      headers: { "Content-Encoding": "gzip", Vary: "Accept-Encoding" },
    },
    { kind: "bytes", bytes, type: "text/javascript; charset=utf-8" },
  ];
  for (const one of others) expect(await negotiated(one, { "accept-encoding": "gzip, br" })).toBe(one);
});

test("a compressible response has Vary also uncompressed, and each encoding has its own ETag", async () => {
  const plain = await negotiated(answer, {});
  expect(plain).toMatchObject({ kind: "bytes", headers: { ETag: '"a"', Vary: "Accept-Encoding" } });
  const held = (tag: string, taken?: string) => negotiated(answer, { "if-none-match": tag, "accept-encoding": taken });
  expect(await held('"a"')).toMatchObject({ status: 304, headers: { ETag: '"a"', Vary: "Accept-Encoding" } });
  expect(await held('"a-br"', "br")).toMatchObject({ status: 304, headers: { ETag: '"a-br"' } });
  expect((await held('"a-br"')).kind).toBe("bytes");
  const short: LocalAnswer = { kind: "json", body: 1, headers: { ETag: '"b"' } };
  const asked = { "accept-encoding": "br" };
  expect(await negotiated(short, asked)).toMatchObject({ headers: { ETag: '"b"' }, bytes: Buffer.from("1") });
  expect(await negotiated(short, { ...asked, "if-none-match": '"b"' })).toMatchObject({ status: 304 });
});
