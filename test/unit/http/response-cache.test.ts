import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { compress, type Form, formHeaders } from "../../../src/http/compression.ts";
import { type BodySource, ResponseCache } from "../../../src/http/response-cache.ts";
import { dayOf, rowsOf } from "../../support/storage/store-on-disk.ts";

/** Source with days of quarter hours. Counts its reads. */
class Quarters implements BodySource {
  version = 1;
  reads = 0;
  days: number;
  price = 1.25;

  constructor(days: number) {
    this.days = days;
  }

  get body(): string {
    return `{"data":${JSON.stringify(this.#chunks().flat())}}`;
  }

  readonly read = () => {
    this.reads++;
    return Buffer.from(this.body);
  };

  #chunks() {
    const start = dayOf("2026-01-01").start;
    return Array.from({ length: this.days }, (_, i) =>
      rowsOf("fifteenMinutes", { start: start + i * 86_400_000, end: start + (i + 1) * 86_400_000 }, () => this.price),
    );
  }
}

const headerOf = (form: Form, name: string): string | null => formHeaders(form)[name] ?? null;
const validatorsOf = (answer: Form) => ["Content-Encoding", "ETag", "Vary"].map((name) => headerOf(answer, name));
const bytesOf = ({ body }: Form): Buffer => Buffer.from(body as Uint8Array);

describe("a response", () => {
  test("a response is made once for all clients", async () => {
    const cache = new ResponseCache();
    const source = new Quarters(30);
    const answers = await Promise.all(Array.from({ length: 20 }, () => cache.represent("a", source, {})));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(bytesOf(answers[0] as Form).toString()).toBe(source.body);
    expect((await cache.represent("a", source, {})).body).toBe(answers[0]?.body);
    expect(source.reads).toBe(1);
    expect(cache.bytes).toBe(Buffer.byteLength(source.body));
  });

  test("a response replaces the one of the version before, with its compressed forms", async () => {
    const cache = new ResponseCache();
    const source = new Quarters(30);
    const sizes: number[] = [];
    for (; source.version <= 3; source.version++) {
      source.price = source.version;
      for (const coding of ["gzip", "br"]) await cache.represent("a", source, { "accept-encoding": coding });
      sizes.push(cache.bytes);
    }
    const [first = 0] = sizes;
    const compressed = first - Buffer.byteLength(source.body);
    expect(compressed).toBeGreaterThan(500);
    for (const size of sizes) expect(Math.abs(size - first)).toBeLessThan(50);
  });

  test("a response has an ETag that depends only on its body, also after a restart and other changes of the series", async () => {
    const cache = new ResponseCache();
    const source = new Quarters(2);
    const tag = headerOf(await cache.represent("a", source, {}), "ETag");
    expect(headerOf(await new ResponseCache().represent("b", source, {}), "ETag")).toBe(tag);
    source.version++;
    const again = await cache.represent("a", source, {});
    expect(headerOf(again, "ETag")).toBe(tag);
    source.version++;
    source.price = 1.2501;
    const changed = await cache.represent("a", source, {});
    expect(headerOf(changed, "ETag")).not.toBe(tag);
    expect(bytesOf(changed).toString()).toBe(source.body);
    expect(cache.bytes).toBe(source.body.length);
  });
});

describe("a compressed response", () => {
  test.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const)("in %s is made once for all clients and has its own ETag", async (coding, unpack) => {
    let made = 0;
    const cache = new ResponseCache({
      compress: (...args) => {
        made++;
        return compress(...args);
      },
    });
    const source = new Quarters(30);
    const wanted = { "accept-encoding": coding };
    const answers = await Promise.all(Array.from({ length: 20 }, () => cache.represent("a", source, wanted)));
    const [first] = answers as [Form];
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(unpack(bytesOf(first)).toString()).toBe(source.body);
    expect(validatorsOf(first)).toEqual([
      coding,
      expect.stringMatching(new RegExp(`^"[\\w-]{22}-${coding}"$`)),
      "Accept-Encoding",
    ]);
    await cache.represent("a", source, wanted);
    expect([made, source.reads]).toEqual([1, 1]);
    source.version++;
    source.price = 2;
    expect(unpack(bytesOf(await cache.represent("a", source, wanted))).toString()).toBe(source.body);
    expect(made).toBe(2);
  });

  test("a compressed response is not made for a small body, unless nothing else is accepted", async () => {
    const cache = new ResponseCache();
    const source = new Quarters(0);
    for (let i = 0; i < 2; i++) {
      expect(headerOf(await cache.represent("a", source, { "accept-encoding": "br" }), "Content-Encoding")).toBeNull();
      const only = await cache.represent("a", source, { "accept-encoding": "gzip, identity;q=0" });
      expect(gunzipSync(bytesOf(only)).toString()).toBe('{"data":[]}');
    }
  });

  test("a compressed response is one of at most two at a time; until it is made, clients get the plain body if they accept it", async () => {
    const waiting: (() => void)[] = [];
    const cache = new ResponseCache({
      compress: async (_, bytes) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return bytes.subarray(0, 5);
      },
    });
    const ask = (key: number, accepted = "br") => {
      const source = new Quarters(10);
      source.price = key;
      return cache.represent(`${key}`, source, { "accept-encoding": accepted });
    };
    const slow = [ask(1), ask(2)];
    expect(waiting.length).toBe(2);
    expect(headerOf(await ask(3), "Content-Encoding")).toBeNull();
    const same = ask(2);
    const must = ask(4, "br, identity;q=0");
    expect(waiting.length).toBe(3);
    for (const finish of waiting) finish();
    for (const answer of [...slow, same, must]) expect(headerOf(await answer, "Content-Encoding")).toBe("br");
  });

  test("that failed is made again", async () => {
    let failing = true;
    const cache = new ResponseCache({
      compress: async (_, bytes) => {
        if (failing) throw new Error("no memory");
        return bytes;
      },
    });
    const source = new Quarters(3);
    await expect(cache.represent("a", source, { "accept-encoding": "br" })).rejects.toThrow("no memory");
    failing = false;
    expect(headerOf(await cache.represent("a", source, { "accept-encoding": "br" }), "Content-Encoding")).toBe("br");
  });
});

describe("the cache", () => {
  test("the cache holds at most maxBytes; the least recently used body is evicted first", async () => {
    const source = new Quarters(2);
    const size = source.body.length;
    const cache = new ResponseCache({ maxBytes: 3 * size });
    const reads = async (...keys: string[]) => {
      source.reads = 0;
      for (const key of keys) await cache.represent(key, source, {});
      return source.reads;
    };
    expect(await reads("a", "b", "c")).toBe(3);
    expect(await reads("a", "b", "c", "a")).toBe(0);
    expect(await reads("d")).toBe(1);
    expect(cache.bytes).toBe(3 * size);
    expect(await reads("c", "a", "d")).toBe(0);
    expect(await reads("b")).toBe(1);
  });

  test("the cache holds at most 500 bodies of any size", async () => {
    const cache = new ResponseCache();
    const source = new Quarters(0);
    for (let i = 0; i < 600; i++) await cache.represent(`${i}`, source, {});
    source.reads = 0;
    await cache.represent("599", source, {});
    await cache.represent("0", source, {});
    expect(source.reads).toBe(1);
    expect(cache.bytes).toBeLessThanOrEqual(500 * source.body.length);
  });
});
