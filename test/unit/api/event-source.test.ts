import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { EventFeed } from "../../../src/api/event-source.ts";
import type { RetainedMessage } from "../../../src/mqtt/client/message.ts";

const homes = { at: (addressId: string) => (addressId === "address-of-home" ? { id: "home" } : null) };

/** Returns a feed and a function that returns the events sent so far as `type data`. */
async function listening(before: readonly RetainedMessage[] = [], baseTopic = "elbro") {
  const feed = new EventFeed({ baseTopic, homes, startedAt: 0 });
  feed.show(before);
  const out = new PassThrough();
  let text = "";
  out.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  feed.subscribe(out, { lastEventId: null, home: null });
  const heard = () =>
    [...text.matchAll(/event: (.*)\ndata: (.*)\n/g)]
      .map(([, type, data]) => `${type} ${data}`)
      .filter((line) => !/^(hello|ready) /.test(line));
  return { feed, heard };
}

describe("a published message becomes an event:", () => {
  test.each([
    ["home/price/state", '{"price":1}', 'price {"home":"home","price":1}'],
    ["home/price/state", "{}", 'price {"home":"home"}'],
    ["home/price/level", "cheap", 'level {"home":"home","level":"cheap"}'],
    ["home/price/level", "", 'level {"home":"home","level":null}'],
    ["home/cheap", "ON", 'signal {"home":"home","signal":"cheap","plan":null,"on":true,"estimate":false}'],
    ["home/cheap", "OFF", 'signal {"home":"home","signal":"cheap","plan":null,"on":false,"estimate":false}'],
    ["home/plan/washer", "ON", 'signal {"home":"home","signal":"plan","plan":"washer","on":true}'],
    ["home/plan/washer/state", '{"state":"done"}', 'plan {"home":"home","plan":"washer","state":"done"}'],
    ["plug/boiler/state", '{"on":true}', 'plug {"plug":"boiler","on":true}'],
    ["cabin/spot", "0.25", 'spot {"home":"cabin","spot":0.25}'],
    ["cabin/spot", "", 'spot {"home":"cabin","spot":null}'],
    ["problems", '{"count":0}', 'problem {"count":0}'],
    [
      "info",
      '{"quota":{"a":1},"interfaces":{},"backfill":null,"version":"1"}',
      'quota {"quota":{"a":1},"interfaces":{},"backfill":null}',
    ],
  ])("%s %s", async (topic, payload, expected) => {
    expect((await listening([{ topic: `elbro/${topic}`, payload }])).heard()).toEqual([expected]);
    expect((await listening([{ topic: `my/base/${topic}`, payload }], "my/base")).heard()).toEqual([expected]);
  });

  test.each(["elbro/home/prices", "elbro/status", "homeassistant/device/elbro_home/config", "elbrox/home/cheap"])(
    "%s does not",
    async (topic) => {
      expect((await listening([{ topic, payload: "ON" }])).heard()).toEqual([]);
    },
  );
});

test("the signal cheap contains whether the current price is an estimate", async () => {
  const cheap: RetainedMessage = { topic: "elbro/home/cheap", payload: "OFF" };
  const price = (estimate: boolean | null): RetainedMessage => ({
    topic: "elbro/home/price/state",
    payload: JSON.stringify({ estimate }),
  });
  const { feed, heard } = await listening([cheap, price(true)]);
  feed.show([cheap, price(false)]);
  feed.show([cheap, price(null)]);
  const expected = heard().filter((line) => line.startsWith("signal "));
  expect(expected.map((line) => JSON.parse(line.slice("signal ".length)).estimate)).toEqual([true, false, null]);
});

test("only changes are sent, also for a topic with heartbeats", async () => {
  const cheap: RetainedMessage = { topic: "elbro/home/cheap", payload: "OFF", heartbeat: true };
  const { feed, heard } = await listening([cheap]);
  feed.show([cheap]);
  feed.show([cheap, { topic: "elbro/home/price/level", payload: "normal" }]);
  feed.show([{ ...cheap, payload: "ON" }]);
  feed.show([{ ...cheap, payload: "ON" }]);
  expect(heard().map((line) => line.split(" ")[0])).toEqual(["signal", "level", "signal"]);
});

test("the quota is sent when it changes, not when other fields of the topic change", async () => {
  const info = (left: number, version: string): RetainedMessage => ({
    topic: "elbro/info",
    payload: JSON.stringify({ version, quota: { left }, interfaces: {}, backfill: null }),
  });
  const { feed, heard } = await listening([info(1, "a")]);
  feed.show([info(1, "b")]);
  feed.show([info(2, "b")]);
  expect(heard().length).toBe(2);
});

test("a changed series is sent with its home; one of a place without its location", async () => {
  const { feed, heard } = await listening();
  feed.changed({ account: "consumer", place: "address-of-home", operation: "prices", unit: "hour" });
  feed.changed({ account: "third_party", place: '{"latitude":56.1629}', operation: "locationPrices", unit: "latest" });
  expect(heard()).toEqual([
    'data {"home":"home","series":"prices","unit":"hour"}',
    'data {"home":null,"series":"locationPrices","unit":"latest"}',
  ]);
});
