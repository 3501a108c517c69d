import { describe, expect, test } from "vitest";
import { StatisticsApi } from "../../../../src/integrations/homeassistant/statistics-api.ts";
import { HomeAssistantClient, websocketUrl } from "../../../../src/integrations/homeassistant/websocket-client.ts";
import { EmulatedHomeAssistant } from "../../../support/home/emulated-home-assistant.ts";
import { at } from "../../../support/home/price-days.ts";

const { signal } = new AbortController();
const METADATA = { id: "elbro:home_cost", name: "Home cost", unit: "DKK" };
const ROW = { start: at("2026-03-01T00:00:00Z"), state: 1, sum: 1 };

describe("the WebSocket URL", () => {
  test.each([
    ["http://homeassistant.local:8123", "ws://homeassistant.local:8123/api/websocket"],
    ["https://home.example/", "wss://home.example/api/websocket"],
    ["ws://supervisor/core/websocket", "ws://supervisor/core/websocket"],
  ])("of %s is %s", (url, expected) => {
    expect(websocketUrl(url)).toBe(expected);
  });
});

describe("an error of Home Assistant:", () => {
  test("a rejected token has kind `token`", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    const account = { url: homeAssistant.url, token: "another" };
    await expect(HomeAssistantClient.connect(account, signal)).rejects.toMatchObject({
      kind: "token",
      message: "Invalid access token or password",
    });
  });

  test("a refused connection has kind `unreachable`", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    await homeAssistant.down();
    await expect(HomeAssistantClient.connect(homeAssistant, signal)).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  test.each([
    ["a user who is no administrator", { isAdmin: false }, "token", "the token's user is not an administrator"],
    ["no recorder", { isRecorderLoaded: false }, "refused", "the recorder integration is not loaded"],
  ] as const)("%s is reported", async (_what, state, kind, message) => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    Object.assign(homeAssistant, state);
    const client = await HomeAssistantClient.connect(homeAssistant, signal);
    await expect(new StatisticsApi(client).import(METADATA, [ROW])).rejects.toMatchObject({ kind, message });
    client.close();
  });

  test("a rejected import contains its reason", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    const client = await HomeAssistantClient.connect(homeAssistant, signal);
    const wrong = { ...METADATA, id: "elbro:home__cost" };
    await expect(new StatisticsApi(client).import(wrong, [ROW])).rejects.toMatchObject({
      kind: "refused",
      message: "home_assistant_error: Invalid statistic_id",
    });
    client.close();
  });

  test("a deeply nested message is not parsed and ends the connection", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    const client = await HomeAssistantClient.connect(homeAssistant, signal);
    const asked = new StatisticsApi(client).sumBefore(METADATA.id, ROW.start);
    homeAssistant.say(`{"type":"event","event":${"[".repeat(3_000_000)}`);
    await expect(asked).rejects.toMatchObject({
      kind: "refused",
      message: /^its message: more than the expected 32 levels/,
    });
  });

  test("a lost connection rejects pending and later requests", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    const client = await HomeAssistantClient.connect(homeAssistant, signal);
    homeAssistant.endsAfterImports = 0;
    const api = new StatisticsApi(client);
    await expect(api.import(METADATA, [ROW])).rejects.toMatchObject({ kind: "unreachable" });
    await expect(api.hours(METADATA.id, { start: ROW.start, end: ROW.start + 1 })).rejects.toMatchObject({
      kind: "unreachable",
    });
  });

  test("a shutdown ends the connection", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    const stopping = new AbortController();
    const client = await HomeAssistantClient.connect(homeAssistant, stopping.signal);
    stopping.abort();
    await expect(new StatisticsApi(client).sumBefore(METADATA.id, ROW.start)).rejects.toMatchObject({
      kind: "unreachable",
    });
  });
});

describe("the sum before an instant", () => {
  test.each([
    ["2026-01-31T23:00:00Z", 0],
    ["2026-02-28T23:00:00Z", 3],
    ["2026-03-01T05:00:00Z", 3],
    ["2026-03-01T06:00:00Z", 10],
    ["2026-07-01T00:00:00Z", 12],
  ])("%s is %i", async (instant, sum) => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    const client = await HomeAssistantClient.connect(homeAssistant, signal);
    const api = new StatisticsApi(client);
    await api.import(METADATA, [
      { start: at("2026-02-03T05:00:00Z"), state: 3, sum: 3 },
      { start: at("2026-03-01T05:00:00Z"), state: 7, sum: 10 },
      { start: at("2026-03-31T21:00:00Z"), state: 2, sum: 12 },
    ]);
    expect(await api.sumBefore(METADATA.id, at(instant))).toBe(sum);
    client.close();
  });
});
