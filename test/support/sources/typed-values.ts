/** Values that an owner could type, or that a damaged file could hold, for every key of the configuration. */
import * as fc from "fast-check";
import { type KeyRow, keyRows } from "../../../src/config/schema/key-rows.ts";

/** A small valid configuration with one item in every list. */
const base: Readonly<Record<string, unknown>> = {
  consumer: { api_key: "a-key" },
  third_party: { api_key: "a", api_secret: "b", places: [{ name: "Region", region: "DK1" }] },
  homes: [{ address_id: "11111111-2222-4333-8444-555555555555", id: "home" }],
  home_assistant: { url: "http://homeassistant.local:8123", token: "a-token" },
  notify: { topic_url: "https://ntfy.sh/my-house-4821" },
  archive: { url: "postgres://elbro@localhost:5432/elbro" },
  broker: { users: [{ name: "ha", password: "a-password" }] },
  api: {
    keys: [{ name: "kitchen", key: "a-lan-key" }],
    third_party_keys: [{ name: "inverter", api_key: "a", api_secret: "b" }],
  },
  plans: [
    { name: "Dishwasher", home: "home", kind: "window", hours: 2, from: "19:00", ready_by: "06:30" },
    { name: "Car", home: "home", kind: "slots", hours: 4, after: "dishwasher", group: "house", kw: 3 },
    { name: "Heater", home: "home", kind: "below", cheap_below: "35%", min_run: "30m" },
    { name: "Floor", home: "home", kind: "avoid", hours: 3, max_gap: "2h" },
  ],
  groups: [{ name: "house", limit_kw: 11 }],
  plugs: [
    { name: "Heater plug", family: "shelly_gen2", topic: "shellyplus1-a1b2c3", plan: "heater" },
    {
      ...{ name: "Own", family: "custom", home: "home", signal: "cheap" },
      ...{ on: { topic: "a", payload: "ON" }, off: { topic: "a", payload: "OFF" } },
    },
  ],
};

/** Sections that refer to each other. */
const TOGETHER = ["homes", "plans", "groups", "plugs"];

/** Texts that are nearly right, or mean something special to JavaScript, YAML, URLs or MQTT. */
const awkward = [
  ...[
    "",
    " ",
    "\0",
    "a\nb",
    "“abc”",
    "__proto__",
    "constructor",
    "toString",
    "null",
    "~",
    "*",
    "#",
    "+/#",
    "a/",
    "æøå",
  ],
  ...[
    "ntfy.sh/my-topic",
    "http://",
    "https://",
    "https:///x",
    "http://[",
    "mqtt://",
    "mqtt://:1",
    "postgres://",
    "://",
  ],
  ...["https://ntfy.sh", "https://a b", "http://homeassistant.local:99999", "ws://%", "file:///etc/passwd"],
  ...["24:00", "7", "22.30", "07:00-", "30m", "1,5", "1e999", "-0", "0x10", "/(/", "/a/", "150%", "%", "😀".repeat(9)],
];

const plain = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(0, -1, 1.5, 24, 150, 1e15, 1e-9, 65_536),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const any = fc.oneof(
  { weight: 4, arbitrary: plain },
  { weight: 1, arbitrary: fc.array(plain, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom("name", "topic", "x", "__proto__", "id", "kind"), plain) },
);

/** Returns a text with a piece replaced: values that are nearly those of the example. */
function nearly(text: string): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.nat(text.length), fc.nat(4), fc.oneof(fc.constantFrom(...awkward), fc.string({ maxLength: 3 })))
    .map(([at, cut, piece]) => text.slice(0, at) + piece + text.slice(at + cut));
}

export interface TypedValue {
  readonly row: KeyRow;
  /** A configuration with the value. */
  readonly tree: Record<string, unknown>;
}

/** A key of the schema with any value, in a configuration that is otherwise valid. */
export function typedValues(isIncluded: (row: KeyRow) => boolean = () => true): fc.Arbitrary<TypedValue> {
  const rows = keyRows().filter(isIncluded);
  return fc.constantFrom(...rows).chain((row) => {
    const { example } = row.words;
    const given = example ?? (typeof row.default === "string" ? row.default : "");
    return fc
      .tuple(fc.oneof(any, nearly(given)), fc.nat(3))
      .map(([value, item]) => ({ row, tree: treeWith(row.path, value, item) }));
  });
}

/** Returns the sections that the key needs, with its value in one item of each list above it. */
function treeWith(path: string, value: unknown, item: number): Record<string, unknown> {
  const names = path.split(".");
  const section = names[0]?.replace("[]", "") ?? "";
  const sections = TOGETHER.includes(section) ? TOGETHER : [section];
  const tree = structuredClone(
    Object.fromEntries(sections.flatMap((each) => (each in base ? [[each, base[each]]] : []))),
  );
  let node: Record<string, unknown> = tree;
  for (const [i, name] of names.entries()) {
    const key = name.replace("[]", "");
    if (i === names.length - 1) node[key] = value;
    else if (name.endsWith("[]")) {
      const list = node[key] as Record<string, unknown>[];
      node = list[item % list.length] ?? {};
    } else {
      node[key] ??= {};
      node = node[key] as Record<string, unknown>;
    }
  }
  return tree;
}
