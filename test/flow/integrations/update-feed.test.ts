import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { VERSION } from "../../../src/core/status/version.ts";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { assertDiscovery } from "../../support/home/discovery-validator.ts";

const DOCUMENT = "homeassistant/device/elbro/config";
const START = Date.parse("2026-03-10T09:00:00Z");

/** A release feed, with the answer that a test sets. */
class PlayedFeed implements AsyncDisposable {
  answer: { readonly status: number; readonly body: string } = { status: 200, body: "{}" };
  readonly requests: { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  readonly #server = createServer(({ url, headers }, response) => {
    this.requests.push({ path: url, headers });
    response.writeHead(this.answer.status, { "content-type": "application/json" }).end(this.answer.body);
  });

  static async start(): Promise<PlayedFeed> {
    const feed = new PlayedFeed();
    await new Promise<void>((resolve) => feed.#server.listen(0, "127.0.0.1", resolve));
    return feed;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/releases/latest`;
  }

  releases(tag_name: string, more: object = {}): void {
    this.answer = { status: 200, body: JSON.stringify({ tag_name, html_url: "https://example.org/99", ...more }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function updateOf(it: TestDaemon): Promise<unknown> {
  const system = (await (await it.request("/local/v1/system")).json()) as { readonly update: unknown };
  return system.update;
}

test("the release feed is requested once a day without identifiers, also across restarts; bad answers change nothing", async () => {
  await using feed = await PlayedFeed.start();
  feed.releases("v99.1.0");
  await using it = await TestDaemon.start({
    start: START,
    config: { history: { months: 0 }, update_feed: feed.url },
  });
  await it.clock.runUntil(START + HOUR_MS);
  const known = { version: "99.1.0", url: "https://example.org/99", newer: true };
  await expect.poll(() => updateOf(it)).toEqual(known);
  expect(feed.requests).toHaveLength(1);
  const { host: _host, connection: _connection, ...sent } = feed.requests[0]?.headers ?? {};
  expect(sent).toEqual({ accept: "application/json", "user-agent": "elbro" });

  await it.restart();
  expect(await updateOf(it)).toEqual(known);
  await it.clock.runUntil(START + DAY_MS - HOUR_MS);
  expect(feed.requests).toHaveLength(1);
  for (const [day, answer] of [
    { status: 500, body: "" },
    { status: 200, body: "<html>" },
    { status: 200, body: '{"tag_name":"v100.0.0","prerelease":true}' },
    { status: 200, body: '{"tag_name":"latest"}' },
  ].entries()) {
    feed.answer = answer;
    await it.clock.runUntil(START + (day + 1) * DAY_MS + HOUR_MS);
    await expect.poll(() => feed.requests.length).toBe(day + 2);
  }
  expect(await updateOf(it)).toEqual(known);
  expect(it.log.filter(({ text }) => text === "the release feed cannot be read")).toHaveLength(4);
});

test("Home Assistant gets an update entity, which is up to date until there is a newer version", async () => {
  await using feed = await PlayedFeed.start();
  feed.releases("v0.9.0");
  await using it = await TestDaemon.start({
    start: START,
    config: { history: { months: 0 }, update_feed: feed.url },
  });
  const state = async () => {
    const { update } = JSON.parse((await retainedIn(it.brokerPort))["elbro/state"] ?? "{}");
    return JSON.parse(update ?? "null");
  };
  await it.clock.runUntil(START + HOUR_MS);
  const current = { installed_version: VERSION, title: "elbro", release_url: "https://example.org/99" };
  await expect.poll(state).toEqual({ ...current, latest_version: VERSION });
  feed.releases("v99.0.0");
  await it.clock.runUntil(START + DAY_MS + HOUR_MS);
  await expect.poll(state).toEqual({ ...current, latest_version: "99.0.0" });
  const retained = await retainedIn(it.brokerPort);
  assertDiscovery(Object.entries(retained).map(([topic, payload]) => ({ topic, payload })));
  expect(JSON.parse(retained[DOCUMENT] ?? "{}").components.update).toMatchObject({
    platform: "update",
    name: "Update",
  });
});

test("without update_feed there is neither a request nor an entity", async () => {
  await using it = await TestDaemon.start({ start: START, config: { history: { months: 0 } } });
  expect(await updateOf(it)).toBeNull();
  await expect.poll(async () => (await retainedIn(it.brokerPort))[DOCUMENT]).toContain('"version"');
  expect((await retainedIn(it.brokerPort))[DOCUMENT]).not.toContain('"update"');
});
