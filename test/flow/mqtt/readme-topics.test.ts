import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { DAY_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { pageText } from "../../support/docs/docs-pages.ts";

const PAGE = pageText("docs/mqtt.md");

/** Documented topics with `<name>` for variable levels. `…/costs` continues the topic before it. */
const documented: readonly string[] = PAGE.split("\n").flatMap((line) => {
  let before = "";
  const place = line.startsWith("|") ? (line.split("|")[1] ?? "") : line;
  return [...place.matchAll(/`((?:elbro|…)\/[^`]+)`/g)].flatMap(([, topic = ""]) => {
    // A filter of rights and subscriptions is not a topic.
    if (topic.endsWith("#")) return [];
    before = topic.startsWith("…/") ? `${before.slice(0, before.lastIndexOf("/"))}${topic.slice(1)}` : topic;
    return before;
  });
});

function patternOf(topic: string): RegExp {
  return new RegExp(`^${topic.replaceAll(/<[a-z]+>/g, "[^/]+")}$`);
}

/** Topics that elbro subscribes to. */
const START = Date.parse("2025-11-21T14:00:00Z");
const isCommand = (topic: string) => topic.endsWith("/set") || topic.startsWith("elbro/command/");

test("mqtt.md contains exactly the topics that elbro publishes", async () => {
  const { plans, plugs, homes } = configSchema.parse({
    homes: [
      { address_id: "5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01", id: "home", format: "nordpool" },
      { address_id: "b7f3a1c4-2f58-4e0d-8a37-93c5d6e8f002", id: "stugan" },
    ],
    plans: [{ name: "Car", home: "home", kind: "slots", hours: 2 }],
    plugs: [{ name: "Heater", family: "tasmota", topic: "heater", home: "home", signal: "cheap" }],
  });
  const credentials = { apiKey: "key", apiSecret: "secret" };
  await using daemon = await TestDaemon.start({
    start: START,
    simulator: { keys: { thirdParty: credentials } },
    config: {
      ...{ plans, plugs, homes },
      third_party: {
        api_key: credentials.apiKey,
        api_secret: credentials.apiSecret,
        hash_encoding: "hex",
        places: [{ name: "Cabin", latitude: 56.1, longitude: 10.2 }],
      },
    },
  });
  const { watcher } = daemon;
  await watcher.until(
    () =>
      watcher.payload("elbro/cabin/spot") !== null &&
      watcher.payload("elbro/home/revenue") !== null &&
      watcher.payload("elbro/home/forecast") !== null &&
      watcher.payload("elbro/home/plan/car/state") !== null &&
      watcher.payload("elbro/refused_command") !== null,
    "everything there is to show",
  );
  await daemon.clock.runUntil(START + DAY_MS);
  const events = ["elbro/home/event", "elbro/home/plan/car/event"];
  await watcher.until(() => events.every((topic) => watcher.payload(topic) !== null), "events of a day");
  const published = watcher.topics().filter((topic) => topic.startsWith("elbro/"));
  const patterns = documented.map((topic) => ({ topic, pattern: patternOf(topic) }));
  const undocumented = published.filter((topic) => !patterns.some(({ pattern }) => pattern.test(topic)));
  expect(undocumented).toEqual([]);
  const unsaid = patterns.filter(
    ({ topic, pattern }) => !isCommand(topic) && !published.some((each) => pattern.test(each)),
  );
  expect(unsaid.map(({ topic }) => topic)).toEqual([]);
});
