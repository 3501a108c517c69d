import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { headerList } from "../../src/contract/header-lines.ts";
import { compress } from "../../src/server/compression.ts";
import { type AnswerSource, FinishedAnswers, type Representation } from "../../src/server/finished.ts";
import { dayOf, rowsOf } from "../support/store-on-disk.ts";

/** A series of days of quarter-hours; counts how often it is read. */
class Quarters implements AnswerSource {
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
    return this.body;
  };

  #chunks() {
    const start = dayOf("2026-01-01").start;
    return Array.from({ length: this.days }, (_, i) =>
      rowsOf("fifteenMinutes", { start: start + i * 86_400_000, end: start + (i + 1) * 86_400_000 }, () => this.price),
    );
  }
}

const headerOf = ({ head }: Representation, name: string): string | null => {
  const list = headerList(head);
  const at = list.indexOf(name);
  return at < 0 ? null : (list[at + 1] ?? null);
};
const told = (answer: Representation) => ["Content-Encoding", "ETag", "Vary"].map((name) => headerOf(answer, name));
const bytesOf = ({ body }: Representation): Buffer => Buffer.from(body as Uint8Array);

describe("an answer", () => {
  test("is written once, whoever asks and how many", async () => {
    const finished = new FinishedAnswers();
    const source = new Quarters(30);
    const answers = await Promise.all(Array.from({ length: 20 }, () => finished.represent("a", source, {})));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(bytesOf(answers[0] as Representation).toString()).toBe(source.body);
    expect((await finished.represent("a", source, {})).body).toBe(answers[0]?.body);
    expect(source.reads).toBe(1);
    expect(finished.bytes).toBe(Buffer.byteLength(source.body));
  });

  test("has a strong tag and says by what it varies", async () => {
    const finished = new FinishedAnswers();
    const source = new Quarters(2);
    const plain = await finished.represent("a", source, {});
    expect(told(plain)).toEqual([null, expect.stringMatching(/^"[\w-]{22}"$/), "Accept-Encoding"]);
  });

  test("another body has another tag, the same body the same: after a restart, and when another part of the series changed", async () => {
    const finished = new FinishedAnswers();
    const source = new Quarters(2);
    const tag = headerOf(await finished.represent("a", source, {}), "ETag");
    expect(headerOf(await new FinishedAnswers().represent("b", source, {}), "ETag")).toBe(tag);
    source.version++;
    const again = await finished.represent("a", source, {});
    expect(headerOf(again, "ETag")).toBe(tag);
    source.version++;
    source.price = 1.2501;
    const changed = await finished.represent("a", source, {});
    expect(headerOf(changed, "ETag")).not.toBe(tag);
    expect(bytesOf(changed).toString()).toBe(source.body);
    expect(finished.bytes).toBe(source.body.length);
  });

  test("of a version that is the same is not read again", async () => {
    const finished = new FinishedAnswers();
    const source = new Quarters(2);
    for (let i = 0; i < 3; i++) await finished.represent("a", source, {});
    expect(source.reads).toBe(1);
    source.version++;
    await finished.represent("a", source, {});
    expect(source.reads).toBe(2);
  });
});

describe("compressed", () => {
  test.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const)("%s is made once for all, and is the same answer under a tag of its own", async (coding, unpack) => {
    let made = 0;
    const finished = new FinishedAnswers({
      compress: (...args) => {
        made++;
        return compress(...args);
      },
    });
    const source = new Quarters(30);
    const wishes = { "accept-encoding": coding };
    const answers = await Promise.all(Array.from({ length: 20 }, () => finished.represent("a", source, wishes)));
    const [first] = answers as [Representation];
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(unpack(bytesOf(first)).toString()).toBe(source.body);
    expect(told(first)).toEqual([
      coding,
      expect.stringMatching(new RegExp(`^"[\\w-]{22}-${coding}"$`)),
      "Accept-Encoding",
    ]);
    await finished.represent("a", source, wishes);
    expect([made, source.reads]).toEqual([1, 1]);
    source.version++;
    source.price = 2;
    expect(unpack(bytesOf(await finished.represent("a", source, wishes))).toString()).toBe(source.body);
    expect(made).toBe(2);
  });

  test("a small answer is not, unless nothing else is taken", async () => {
    const finished = new FinishedAnswers();
    const source = new Quarters(0);
    for (let i = 0; i < 2; i++) {
      expect(
        headerOf(await finished.represent("a", source, { "accept-encoding": "br" }), "Content-Encoding"),
      ).toBeNull();
      const only = await finished.represent("a", source, { "accept-encoding": "gzip, identity;q=0" });
      expect(gunzipSync(bytesOf(only)).toString()).toBe('{"data":[]}');
    }
  });

  test("two at a time; who comes meanwhile is given the answer as it is, if that is taken", async () => {
    const waiting: (() => void)[] = [];
    const finished = new FinishedAnswers({
      compress: async (_, bytes) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return bytes.subarray(0, 5);
      },
    });
    const source = new Quarters(30);
    for (const key of ["a", "b", "c", "d"]) await finished.represent(key, source, {});
    const slow = [
      finished.represent("a", source, { "accept-encoding": "br" }),
      finished.represent("b", source, { "accept-encoding": "br" }),
    ];
    await expect.poll(() => waiting.length).toBe(2);
    const third = await finished.represent("c", source, { "accept-encoding": "br" });
    expect([headerOf(third, "Content-Encoding"), bytesOf(third).toString()]).toEqual([null, source.body]);
    const must = finished.represent("d", source, { "accept-encoding": "br, identity;q=0" });
    await expect.poll(() => waiting.length).toBe(3);
    for (const go of waiting) go();
    for (const answer of [...slow, must]) expect(headerOf(await answer, "Content-Encoding")).toBe("br");
  });

  test("one that failed is tried again", async () => {
    let failing = true;
    const finished = new FinishedAnswers({
      compress: async (_, bytes) => {
        if (failing) throw new Error("no memory");
        return bytes;
      },
    });
    const source = new Quarters(3);
    await expect(finished.represent("a", source, { "accept-encoding": "br" })).rejects.toThrow("no memory");
    failing = false;
    expect(headerOf(await finished.represent("a", source, { "accept-encoding": "br" }), "Content-Encoding")).toBe("br");
  });
});

describe("a caller that has the answer", () => {
  test("is told so, by the tag of any form it takes, without the body being written", async () => {
    const finished = new FinishedAnswers();
    const source = new Quarters(30);
    const tag = headerOf(await new FinishedAnswers().represent("a", source, {}), "ETag") ?? "";
    const gzipTag = tag.replace(/"$/, '-gzip"');
    source.reads = 0;
    const held = await finished.represent("a", source, { "if-none-match": tag });
    expect([held.status, ...told(held)]).toEqual([304, null, tag, "Accept-Encoding"]);
    expect([source.reads, finished.bytes]).toEqual([1, 0]);
    const cases: [string | undefined, string, number, string | null][] = [
      ["gzip", gzipTag, 304, gzipTag],
      ["gzip", tag, 304, tag],
      ["gzip", `W/${gzipTag}`, 304, gzipTag],
      ["gzip", `"x", ${gzipTag}`, 304, gzipTag],
      ["gzip", "*", 304, gzipTag],
      [undefined, "*", 304, tag],
      [undefined, gzipTag, 200, tag],
      ["gzip, identity;q=0", tag, 200, gzipTag],
      ["br", gzipTag, 200, tag.replace(/"$/, '-br"')],
    ];
    for (const [takes, has, status, told] of cases) {
      const answer = await finished.represent("a", source, { "accept-encoding": takes, "if-none-match": has });
      expect([takes, has, answer.status, headerOf(answer, "ETag")]).toEqual([takes, has, status, told]);
    }
    source.version++;
    source.price = 2;
    expect((await finished.represent("a", source, { "if-none-match": tag })).status).toBe(200);
  });
});

describe("what is kept", () => {
  test("is at most so many bytes; what was not used for the longest time goes first", async () => {
    const source = new Quarters(2);
    const size = source.body.length;
    const finished = new FinishedAnswers({ mostBytes: 3 * size });
    const reads = async (...keys: string[]) => {
      source.reads = 0;
      for (const key of keys) await finished.represent(key, source, {});
      return source.reads;
    };
    expect(await reads("a", "b", "c")).toBe(3);
    expect(await reads("a", "b", "c", "a")).toBe(0);
    expect(await reads("d")).toBe(1);
    expect(finished.bytes).toBe(3 * size);
    expect(await reads("c", "a", "d")).toBe(0);
    expect(await reads("b")).toBe(1);
  });

  test("does not hold an answer that is larger than all of it, and loses nothing for its sake", async () => {
    const [small, large] = [new Quarters(2), new Quarters(30)];
    const finished = new FinishedAnswers({ mostBytes: 2 * small.body.length });
    await finished.represent("small", small, {});
    expect(bytesOf(await finished.represent("large", large, {})).toString()).toBe(large.body);
    await finished.represent("small", small, {});
    expect([small.reads, finished.bytes]).toEqual([1, small.body.length]);
    await finished.represent("large", large, {});
    expect(large.reads).toBe(2);
  });

  test("is at most so many answers, however small", async () => {
    const finished = new FinishedAnswers();
    const source = new Quarters(0);
    for (let i = 0; i < 600; i++) await finished.represent(`${i}`, source, {});
    source.reads = 0;
    await finished.represent("599", source, {});
    await finished.represent("0", source, {});
    expect(source.reads).toBe(1);
    expect(finished.bytes).toBeLessThanOrEqual(500 * source.body.length);
  });
});
