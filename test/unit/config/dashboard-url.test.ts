import { expect, test } from "vitest";
import { dashboardUrlOf } from "../../../src/config/dashboard-url.ts";
import { apiSchema } from "../../../src/config/schema/api-schema.ts";

test.each([
  ["nothing is said", {}, undefined],
  ["this machine only", { host: "127.0.0.1" }, undefined],
  ["every address", { host: "::" }, undefined],
  ["a port that the system chooses", { host: "192.168.1.5", port: 0 }, undefined],
  ["an address on the LAN", { host: "192.168.1.5" }, "http://192.168.1.5:8080/"],
  ["an address of version 6", { host: "fd00::5", port: 80 }, "http://[fd00::5]:80/"],
  ["a URL", { host: "192.168.1.5", url: "https://elbro.example.org/" }, "https://elbro.example.org/"],
])("dashboardUrlOf: %s", (_what, api, expected) => {
  expect(dashboardUrlOf(apiSchema.parse(api))).toBe(expected);
});
