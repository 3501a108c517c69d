import { expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "../../../../src/core/time/interval.ts";
import { Administrators } from "../../../../src/integrations/homeassistant/administrators.ts";
import { EmulatedHomeAssistant } from "../../../support/home/emulated-home-assistant.ts";

const NOW = Date.UTC(2026, 5, 10, 12);
const USERS = [
  { id: "owner", is_owner: true, is_active: true, group_ids: [], name: "Anna" },
  { id: "admin", is_owner: false, is_active: true, group_ids: ["system-admin"] },
  { id: "left", is_owner: false, is_active: false, group_ids: ["system-admin"] },
  { id: "user", is_owner: false, is_active: true, group_ids: ["system-users"] },
];

function administratorsOf(homeAssistant: { readonly url: string; readonly token: string }) {
  const { url, token } = homeAssistant;
  const said: string[] = [];
  const log = { warn: (_: object, text: string) => void said.push(text) };
  const list = new Administrators({ account: { url, token }, signal: new AbortController().signal, log });
  const among = (now: number) => USERS.map(({ id }) => id).filter((id) => list.has(id, now));
  return { list, among, said };
}

test("the owner and active members of the group of administrators may control, after Home Assistant has answered", async () => {
  await using homeAssistant = await EmulatedHomeAssistant.start();
  homeAssistant.users = USERS;
  const { list, among } = administratorsOf(homeAssistant);
  await list.keepCurrent(NOW);
  expect(among(NOW)).toEqual(["owner", "admin"]);
});

test("a changed role applies after five minutes, with one request", async () => {
  await using homeAssistant = await EmulatedHomeAssistant.start();
  homeAssistant.users = USERS;
  const { list, among } = administratorsOf(homeAssistant);
  await list.keepCurrent(NOW);
  homeAssistant.users = USERS.filter(({ id }) => id !== "admin");
  await list.keepCurrent(NOW + 4 * MINUTE_MS);
  expect([among(NOW), homeAssistant.logins]).toEqual([["owner", "admin"], 1]);
  await list.keepCurrent(NOW + 5 * MINUTE_MS);
  expect([among(NOW + 5 * MINUTE_MS), homeAssistant.logins]).toEqual([["owner"], 2]);
});

test.each([
  ["users without ids", [{ name: "Anna", is_owner: true }]],
  ["no list", null],
])("%s make nobody an administrator, which is logged and asked again after ten seconds", async (_, users) => {
  await using homeAssistant = await EmulatedHomeAssistant.start();
  homeAssistant.users = users;
  const { list, among, said } = administratorsOf(homeAssistant);
  await list.keepCurrent(NOW);
  expect([among(NOW), said]).toEqual([[], ["Home Assistant does not name its administrators"]]);
  homeAssistant.users = USERS;
  await list.keepCurrent(NOW + 10 * SECOND_MS);
  expect(among(NOW + 10 * SECOND_MS)).toEqual(["owner", "admin"]);
});

test("an error that is not Home Assistant's is logged too, and the list is requested again after ten seconds", async () => {
  const { list, among, said } = administratorsOf({ url: "no address", token: "secret" });
  await expect(list.keepCurrent(NOW)).resolves.toBeUndefined();
  expect(among(NOW)).toEqual([]);
  await list.keepCurrent(NOW + 10 * SECOND_MS);
  expect(said).toEqual(Array(2).fill("Home Assistant does not name its administrators"));
});
