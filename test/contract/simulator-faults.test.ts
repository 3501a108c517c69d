/** Tests every kind of fault from the client's side. */
import { get } from "node:https";
import { expect, test } from "vitest";
import type { FaultRule } from "../../src/simulator/fault-rules.ts";
import { createSelfSigned } from "../support/service/self-signed.ts";
import { ask, pathOf } from "../support/service/service-caller.ts";
import { startAt } from "../support/service/standing-simulator.ts";

const NOON = Date.UTC(2026, 5, 10, 12);
const TODAY = { from: "2026-06-09T22:00:00Z", to: "2026-06-10T22:00:00Z", resolution: "hour" };

async function startFaulty(...faults: FaultRule[]) {
  const started = await startAt(NOON, { faults });
  const values = { addressId: started.simulator.addressIds.danish, ...TODAY };
  return { ...started, prices: () => ask(started.service, "prices", values), values };
}

test("a status of the error table has the service's body; before the quota check it has no quota headers", async () => {
  await using faulty = await startFaulty({ operation: "prices", fault: "status", status: 503 });
  const { status, json, headers } = await faulty.prices();
  expect([status, json.errorCode]).toEqual([503, "entitlement_unavailable"]);
  expect(headers.has("x-ratelimit-remaining-minute")).toBe(false);
  await using other = await startFaulty({ operation: "prices", fault: "status", status: 502 });
  expect((await other.prices()).headers.get("x-ratelimit-remaining-minute")).toBe("59");
});

test("a requested 429 lasts until the end of the minute, or for the duration in the script", async () => {
  await using faulty = await startFaulty(
    { operation: "prices", fault: "status", status: 429, times: 1 },
    { operation: "prices", fault: "status", status: 429, retryAfterSec: 0, times: 1 },
  );
  const first = await faulty.prices();
  expect([first.status, first.headers.get("retry-after"), first.headers.get("x-ratelimit-remaining-minute")]).toEqual([
    429,
    "60",
    "0",
  ]);
  expect((await faulty.prices()).headers.get("retry-after")).toBe("0");
  expect((await faulty.prices()).status).toBe(200);
});

test("a status that the service does not use has the page of a proxy", async () => {
  await using faulty = await startFaulty({ operation: "*", fault: "status", status: 504 });
  const { status, json, headers } = await faulty.prices();
  expect([status, json, headers.get("content-type")]).toEqual([504, undefined, "text/html"]);
});

test("an error code can be chosen among those of one status", async () => {
  await using faulty = await startFaulty({
    operation: "prices",
    fault: "status",
    status: 401,
    errorCode: "credential_expired",
  });
  expect((await faulty.prices()).json.errorCode).toBe("credential_expired");
});

test("broken JSON has a matching length but no end", async () => {
  await using faulty = await startFaulty({ operation: "prices", fault: "brokenJson" });
  const { status, text, json } = await faulty.prices();
  expect([status, json]).toEqual([200, undefined]);
  expect(text).toMatch(/^\{"addressId"/);
});

test("a field can be missing in every row, or in the envelope", async () => {
  await using faulty = await startFaulty(
    { operation: "prices", fault: "missingField", field: "totalPricePerKWh", times: 1 },
    { operation: "prices", fault: "missingField", field: "currency" },
  );
  const rows = (await faulty.prices()).json;
  expect(rows.data).toHaveLength(24);
  for (const row of rows.data) expect(row).not.toHaveProperty("totalPricePerKWh");
  const envelope = (await faulty.prices()).json;
  expect(envelope).not.toHaveProperty("currency");
  expect(envelope.data[0]).toHaveProperty("totalPricePerKWh");
});

test("a number can be sent as text, and a text as number", async () => {
  await using faulty = await startFaulty(
    { operation: "prices", fault: "wrongType", field: "totalPricePerKWh", times: 1 },
    { operation: "prices", fault: "wrongType", field: "start" },
  );
  expect((await faulty.prices()).json.data[0].totalPricePerKWh).toMatch(/^\d/);
  expect((await faulty.prices()).json.data[0].start).toBe(12345);
});

test("an empty response is a 200 without rows", async () => {
  await using faulty = await startFaulty({ operation: "*", fault: "empty" });
  expect((await faulty.prices()).json).toMatchObject({ resolution: "hour", data: [] });
  expect((await ask(faulty.service, "regionPrices", { region: "DK1" })).json).toEqual([]);
});

test("a redirect has its location", async () => {
  await using faulty = await startFaulty({ operation: "*", fault: "redirect", location: "http://127.0.0.1:9/x" });
  const { status, headers } = await faulty.prices();
  expect([status, headers.get("location")]).toEqual([302, "http://127.0.0.1:9/x"]);
});

test("a lost connection has no response, and a cut one is incomplete", async () => {
  await using faulty = await startFaulty(
    { operation: "prices", fault: "lostConnection", times: 1 },
    { operation: "prices", fault: "cutOff", times: 1 },
  );
  await expect(faulty.prices()).rejects.toThrow(/fetch failed/);
  await expect(faulty.prices()).rejects.toThrow(/terminated/);
  expect((await faulty.prices()).status).toBe(200);
  expect(faulty.simulator.answered().map(({ status }) => status)).toEqual([200, 200, 200]);
});

test("a hanging request gets no response, and does not prevent the simulator from closing", async () => {
  await using faulty = await startFaulty({ operation: "prices", fault: "hang" });
  const hanging = faulty.prices();
  const lost = expect(hanging).rejects.toThrow();
  while (faulty.simulator.answered().length === 0) await new Promise(setImmediate);
  await faulty.simulator.close();
  await lost;
});

test("a delay is followed by the next fault; closing ends the delay", async () => {
  await using faulty = await startFaulty(
    { operation: "prices", fault: "delay", delayMs: 5, times: 1 },
    { operation: "prices", fault: "status", status: 500, times: 1 },
    { operation: "prices", fault: "delay", delayMs: 600_000 },
  );
  expect((await faulty.prices()).status).toBe(500);
  const waiting = expect(faulty.prices()).rejects.toThrow();
  while (faulty.simulator.answered().length < 2) await new Promise(setImmediate);
  await faulty.simulator.close();
  await waiting;
});

test("a rule applies only to its operation and its time", async () => {
  const from = NOON + 1_000;
  await using faulty = await startFaulty({ operation: "prices", fault: "status", status: 502, from, to: from + 1_000 });
  const statuses = async () => [(await faulty.prices()).status, (await ask(faulty.service, "addresses")).status];
  expect(await statuses()).toEqual([200, 200]);
  faulty.time.now = from;
  expect(await statuses()).toEqual([502, 200]);
  faulty.time.now = from + 1_000;
  expect(await statuses()).toEqual([200, 200]);
});

const tls = createSelfSigned();

test.skipIf(!tls)("the same service works over TLS (skipped without openssl)", async () => {
  await using started = await startAt(NOON, tls ? { tls } : {});
  expect(started.service.url).toMatch(/^https:/);
  const headers = { authorization: `Bearer ${started.service.consumerKey}` };
  const status = await new Promise((resolve, reject) =>
    get(`${started.service.url}${pathOf("addresses", {})}`, { headers, ca: tls?.cert }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject),
  );
  expect(status).toBe(200);
});

test("rows can arrive late, and amounts can be wrong until they are corrected", async () => {
  const rows = { rowsFrom: Date.parse("2026-06-10T00:00:00Z"), rowsTo: Date.parse("2026-06-10T02:00:00Z") };
  const until = { operation: "prices", to: NOON } as const;
  await using right = await startFaulty();
  const { data } = (await right.prices()).json;
  await using faulty = await startFaulty(
    { ...until, to: NOON + 1, fault: "lateRows", ...rows },
    { ...until, to: NOON + 1, fault: "wrongRows", factor: 2, rowsFrom: rows.rowsTo, rowsTo: rows.rowsTo + 1 },
    { ...until, fault: "lateRows", ...rows, rowsTo: Date.parse("2026-06-11T00:00:00Z") },
  );
  const shown = (await faulty.prices()).json.data;
  expect(shown).toHaveLength(22);
  expect(shown[2].totalPricePerKWh).toBeCloseTo(2 * data[4].totalPricePerKWh);
  expect(shown[3]).toEqual(data[5]);
});

test("one row can be changed, or repeated with a change", async () => {
  const bad = { operation: "prices", fault: "badRow", put: { totalPricePerKWh: null } } as const;
  await using faulty = await startFaulty({ ...bad, row: 3 }, { ...bad, row: 5, repeat: true });
  const { data } = (await faulty.prices()).json;
  expect(data).toHaveLength(25);
  expect(data.map((row: { totalPricePerKWh: unknown }) => row.totalPricePerKWh).indexOf(null)).toBe(3);
  expect(data[6]).toEqual({ ...data[5], totalPricePerKWh: null });
});

test("headers can state other limits, together with another fault", async () => {
  await using faulty = await startFaulty(
    { operation: "*", fault: "headers", headers: { "X-RateLimit-Limit-Day": "1" }, times: 1 },
    { operation: "*", fault: "empty" },
  );
  const { headers, json } = await faulty.prices();
  expect([headers.get("x-ratelimit-limit-day"), json.data]).toEqual(["1", []]);
  expect((await faulty.prices()).headers.get("x-ratelimit-limit-day")).toBe("2000");
});

test.each([200, 401, 429])("an HTML page can have the status %i", async (status) => {
  await using faulty = await startFaulty({ operation: "*", fault: "html", status });
  const answer = await faulty.prices();
  expect([answer.status, answer.json, answer.headers.get("content-type")]).toEqual([status, undefined, "text/html"]);
});

test("the key can belong to another account, whose addresses have other ids", async () => {
  await using faulty = await startFaulty({ operation: "*", fault: "otherAccount" });
  expect((await faulty.prices()).status).toBe(404);
  const { json } = await ask(faulty.service, "addresses", {});
  const addressId = String(json.data[0].id);
  expect(addressId).not.toBe(faulty.values.addressId);
  expect((await ask(faulty.service, "prices", { ...faulty.values, addressId })).status).toBe(200);
});
