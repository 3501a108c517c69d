import { expect, test } from "vitest";
import { isMqttText, isMqttTopic } from "../../../../src/core/text/mqtt-text.ts";

test.each(["elbro", "home/Køkken", "a".repeat(1_024), "ø".repeat(512), `${"a/".repeat(99)}a`, "/"])(
  "%s can be the base of topics",
  (text) => {
    expect([isMqttText(text), isMqttTopic(text)]).toEqual([true, true]);
  },
);

test.each(["a".repeat(1_025), "ø".repeat(513), "a/".repeat(100), "+/a", "a/#"])(
  "%s is a text of MQTT, but cannot be the base of topics",
  (text) => {
    expect([isMqttText(text), isMqttTopic(text)]).toEqual([true, false]);
  },
);

test.each(["a\u0000", "\n", "\ud800", "\udc00a", "\ufffe", "\u{1ffff}"])("%j is no text of MQTT", (text) => {
  expect([isMqttText(text), isMqttTopic(text)]).toEqual([false, false]);
});
