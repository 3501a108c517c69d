import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";

const plug = {
  name: "A",
  family: "custom",
  signal_topic: "s",
  on: { topic: "a", payload: "1" },
  off: { topic: "a", payload: "0" },
};

/** Every place of the configuration from which topics are made. */
const places: Readonly<Record<string, (topic: string) => object>> = {
  "mqtt.base_topic": (topic) => ({ mqtt: { base_topic: topic } }),
  "mqtt.discovery_prefix": (topic) => ({ mqtt: { discovery_prefix: topic } }),
  "plugs.0.topic": (topic) => ({ plugs: [{ name: "A", family: "tasmota", signal_topic: "s", topic }] }),
  "plugs.0.channel": (channel) => ({ plugs: [{ ...plug, channel }] }),
  "plugs.0.signal_topic": (signal_topic) => ({ plugs: [{ ...plug, signal_topic }] }),
  "plugs.0.on.topic": (topic) => ({ plugs: [{ ...plug, on: { topic, payload: "1" } }] }),
  "plugs.0.off.topic": (topic) => ({ plugs: [{ ...plug, off: { topic, payload: "1" } }] }),
  "plugs.0.state.topic": (topic) => ({ plugs: [{ ...plug, state: { topic, on: "1", off: "0" } }] }),
  "plugs.0.availability.topic": (topic) => ({
    plugs: [{ ...plug, availability: { topic, online: "1", offline: "0" } }],
  }),
  "plugs.0.ask.topic": (topic) => ({ plugs: [{ ...plug, ask: { topic, payload: "1" } }] }),
};

const broken = {
  "U+0000": "a\u0000b",
  "a line break": "a\nb",
  "half of a character": "a\ud83d",
  "a non-character": "a\uffff",
  "a wildcard": "a/+/b",
  "more than 1,024 bytes": "å".repeat(513),
  "more than 100 levels": `a${"/a".repeat(100)}`,
};

test.for(
  Object.keys(places).flatMap((place) => Object.entries(broken).map(([what, text]) => [place, what, text] as const)),
)("%s with %s is a mistake", ([place, , text]) => {
  const { error } = configSchema.safeParse(places[place]?.(text) ?? {});
  expect(error?.issues.map(({ path }) => path.join("."))).toEqual([place]);
});

test.for(Object.entries(places))("%s may have letters of any language, spaces and slashes", ([, given]) => {
  expect(configSchema.safeParse(given("stue/kælder 🔌/1")).error?.issues).toBeUndefined();
});
