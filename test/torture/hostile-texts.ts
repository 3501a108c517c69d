/** Texts of up to 4 MB that take much memory or time when they are parsed, and one real list of devices. */
import { longDeviceList } from "../support/plugs/long-device-list.ts";

const MAX_BYTES = 4_000_000;
const LEVELS = 30;

const list = (count: number, item: (i: number) => string) =>
  `[${Array.from({ length: count }, (_, i) => item(i)).join(",")}]`;
const object = (count: number, key: (i: number) => string, value = "1") =>
  `{${Array.from({ length: count }, (_, i) => `"${key(i)}":${value}`).join(",")}}`;
const name = (i: number) => `k${i.toString(36)}`;
/** Repeats a text up to the longest length. */
const filled = (text: string) => text.repeat(Math.floor(MAX_BYTES / text.length));

export const hostileTexts: Readonly<Record<string, () => string | Buffer>> = {
  "one list, nested": () => `${"[".repeat(1_999_999)}${"]".repeat(1_999_999)}`,
  "lists of 30 levels": () => list(60_000, () => `${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}`),
  "one object, nested": () => `${'{"a":'.repeat(600_000)}1${"}".repeat(600_000)}`,
  "objects of 30 levels": () => list(20_000, () => `${'{"a":'.repeat(LEVELS)}1${"}".repeat(LEVELS)}`),
  "objects of 30 levels with different keys": () =>
    list(
      9_000,
      (i) =>
        `${Array.from({ length: LEVELS }, (_, k) => `{"${name(i * LEVELS + k)}":`).join("")}1${"}".repeat(LEVELS)}`,
    ),
  "one object of 440,000 keys": () => object(440_000, (i) => i.toString(36).padStart(4, "k")),
  "objects of one different key": () => list(249_000, (i) => `{"${name(i)}":1}`),
  "objects of 20 different keys": () => list(16_000, (i) => object(20, (k) => `${name(k)}${name(i)}`)),
  "objects of 70 different keys": () => list(4_500, (i) => object(70, (k) => `${name(k)}${name(i)}`)),
  "objects of 1,500 different keys": () => list(200, (i) => object(1_500, (k) => `${name(k)}${name(i)}`)),
  "objects of the same keys": () => list(60_000, (i) => `{"a":${i}.5,"b":"x","c":null,"d":true,"e":[],"f":{},"g":3}`),
  "empty objects": () => list(1_300_000, () => "{}"),
  "empty lists": () => list(1_300_000, () => "[]"),
  "empty texts": () => list(1_300_000, () => '""'),
  "short texts": () => list(570_000, (i) => `"${i.toString(36)}"`),
  "texts of 100 characters": () => list(38_000, (i) => `"${i}${"x".repeat(95)}"`),
  "one object of dense number keys": () => object(370_000, String),
  "one object of sparse number keys": () => object(250_000, (i) => `${i * 7_919}`),
  "objects of one number key": () => list(400_000, () => '{"35":1}'),
  "objects of the largest number key": () => list(230_000, () => '{"4294967294":1}'),
  "objects of an escaped number key": () => list(280_000, () => String.raw`{"\u00335":1}`),
  "objects of __proto__": () => list(230_000, () => '{"__proto__":[]}'),
  "duplicate keys": () => object(660_000, () => "a"),
  "long keys": () => object(4_000, (i) => `${i}${"y".repeat(980)}`),
  "whole numbers": () => list(1_900_000, () => "1"),
  fractions: () => list(500_000, (i) => `${i % 1_000}.5`),
  "fractions and texts": () => list(450_000, (i) => (i % 9 === 0 ? '"a"' : `${i % 1_000}.5`)),
  "one number of 4 MB": () => filled("9"),
  "numbers with huge exponents": () => list(500_000, () => "1e9999"),
  "one text of 4 MB": () => `"${"x".repeat(MAX_BYTES)}"`,
  "one text of wide characters": () => `"${"€".repeat(1_300_000)}"`,
  "one text of escapes": () => `"${String.raw`\u20ac`.repeat(660_000)}"`,
  "texts of escapes": () => list(440_000, () => String.raw`"\u20ac"`),
  "a text without an end": () => `{"a":"${"x".repeat(MAX_BYTES)}`,
  "an object without an end": () => `{"a":1,${object(400_000, name).slice(1, -1)}`,
  "nested lists without an end": () => filled("["),
  "nested objects without an end": () => filled('{"a":'),
  "ends without a beginning": () => filled("]}"),
  "only punctuation": () => filled('":,'),
  "only backslashes": () => `"${filled("\\")}`,
  "white space": () => filled(" "),
  "a byte order mark": () => `\ufeff${list(500_000, () => "{}")}`,
  "invalid UTF-8": () => Buffer.alloc(MAX_BYTES, 0xff),
  "a text with invalid UTF-8": () =>
    Buffer.concat([Buffer.from('["'), Buffer.alloc(MAX_BYTES, 0xc3), Buffer.from('"]')]),
  "zero bytes": () => Buffer.alloc(MAX_BYTES),
  "the devices of a real house, 850 kB": () => longDeviceList(120, 1),
  "the devices of a real house, 3.9 MB": () => longDeviceList(550, 1),
};
