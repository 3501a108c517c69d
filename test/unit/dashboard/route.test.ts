import { expect, test } from "vitest";
import { addressOf, routeOf, systemPageOf } from "../../../src/dashboard/route.ts";

test.each([
  ["", { view: "now", entry: null }],
  ["#now", { view: "now", entry: null }],
  ["#plans", { view: "plans", entry: null }],
  ["#plans/car", { view: "plans", entry: "car" }],
  ["#plans/%C3%A5/b", { view: "plans", entry: "å/b" }],
  ["#plans/%", { view: "plans", entry: "%" }],
  ["#plans/", { view: "now", entry: null }],
  ["#plugs", { view: "plans", entry: "plugs" }],
  ["#settings", { view: "system", entry: "settings" }],
  ["#key=elbro_abc", { view: "now", entry: null }],
])("the address %s shows %o", (hash, route) => {
  expect(routeOf(hash)).toEqual(route);
});

test("the address of an entry leads back to it, whatever its id", () => {
  for (const id of ["car", "a/b", "%41", "æ ø"])
    expect(routeOf(addressOf("plans", id))).toEqual({ view: "plans", entry: id });
});

test.each([
  ["#system", "status"],
  ["#settings", "connections"],
  ["#system/setting-home_assistant", "connections"],
  ["#keys", "devices"],
  ["#system/history", "backup"],
  ["#system/constructor", "status"],
])("the address %s shows the system page %s", (hash, page) => {
  expect(systemPageOf(routeOf(hash).entry)).toBe(page);
});
