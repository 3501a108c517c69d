import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { type EpochMs, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { pageText } from "../../support/docs/docs-pages.ts";
import { askText, startLocalApi } from "../../support/http/local-api.ts";

const EVENING = Date.parse("2026-03-10T17:00:00Z");
const NIGHT = "cheap?hours=3&ready_by=07:00";
/** Signals change only at quarter hours. */
const STEP_MS = 15 * MINUTE_MS;

/** Returns the times at which a device that asks repeatedly gets ON. Every status must be 200. */
async function onTimes(daemon: TestDaemon, question: string, from: EpochMs, to: EpochMs): Promise<EpochMs[]> {
  const on: EpochMs[] = [];
  for (let now = from; now < to; now += STEP_MS) {
    await daemon.clock.runUntil(now);
    const [status, word, reason] = await askText(daemon, question);
    expect(status, `${new Date(now).toISOString()} ${reason}`).toBe(200);
    if (word === "ON") on.push(now);
  }
  return on;
}

function runsOf(on: readonly EpochMs[]): (readonly [start: string, hours: number])[] {
  const starts = on.filter((now, i) => now - (on[i - 1] ?? 0) > STEP_MS);
  return starts.map((start, i) => {
    const count = on.filter((now) => now >= start && now < (starts[i + 1] ?? Number.POSITIVE_INFINITY)).length;
    return [new Date(start).toISOString(), (count * STEP_MS) / HOUR_MS];
  });
}

describe("a device that requests cheap", () => {
  test("a device that requests cheap gets ON for three consecutive hours of the night, also with a restart in between", async () => {
    await using daemon = await startLocalApi({ start: EVENING - 8 * HOUR_MS });
    await daemon.clock.runUntil(EVENING);
    const before = await onTimes(daemon, NIGHT, EVENING, Date.parse("2026-03-11T00:00:00Z"));
    expect(before.length).toBeGreaterThan(0);
    await daemon.restart();
    await daemon.clock.settle();
    const after = await onTimes(daemon, NIGHT, Date.parse("2026-03-11T00:00:00Z"), Date.parse("2026-03-11T06:00:00Z"));
    expect(after.length).toBeGreaterThan(0);
    expect(runsOf([...before, ...after]).map(([, hours]) => hours)).toEqual([3]);
  });

  test("a device that requests cheap gets known hours without the service, then OFF with 503 and the reason", async () => {
    await using daemon = await startLocalApi({ start: EVENING - 8 * HOUR_MS });
    await daemon.clock.runUntil(EVENING);
    daemon.simulator.setFaults([{ operation: "*", fault: "status", status: 502 }]);
    const on = await onTimes(daemon, NIGHT, EVENING, Date.parse("2026-03-11T06:00:00Z"));
    expect(runsOf(on).map(([, hours]) => hours)).toEqual([3]);
    await daemon.clock.runUntil(Date.parse("2026-03-12T01:00:00Z"));
    const [status, word, reason] = await askText(daemon, NIGHT);
    expect([status, word]).toEqual([503, "OFF"]);
    expect(reason).toMatch(/no prices from/);
    const json = await daemon.request(`/local/v1/${NIGHT}&format=json`);
    expect([json.status, await json.json()]).toMatchObject([503, { error: true, errorCode: "not_known" }]);
    expect(Number(json.headers.get("retry-after"))).toBe(900);
    expect((await daemon.request("/")).status).toBe(200);
  });

  test("a device that requests cheap gets OFF with the reason for every mistake", async () => {
    await using daemon = await startLocalApi({ start: EVENING });
    await daemon.clock.settle();
    for (const [question, status, words] of [
      ["cheap", 400, "hours: expected hours above 0"],
      ["cheap?hours=0", 400, 'found "0"'],
      ["cheap?hours=3&hours=4", 400, "given 2 times"],
      ["cheap?hours=3&ready_by=7", 400, "a time of day"],
      ["cheap?hours=9&from=22:00&ready_by=06:00", 400, "at most the 8 h"],
      ["cheap?hours=3&home=nowhere", 404, 'unknown home or place "nowhere"; expected one of home'],
      ["cheap?hours=3&max_price=cheap", 400, "a price per kWh"],
      ["cheap?hours=3&format=xml", 400, "one of text, json"],
      ["signal/nothing", 404, 'unknown plan "nothing"; no plans are configured'],
      ["signal/NOTHING", 404, "an id of lower-case letters"],
    ] as const) {
      const [answered, word, reason] = await askText(daemon, question);
      expect([question, answered, word]).toEqual([question, status, "OFF"]);
      expect(reason).toContain(words);
    }
  });
});

test("the Shelly script in http-api.md switches ON for three hours of the night, and OFF without elbro", async () => {
  await using daemon = await startLocalApi({ start: EVENING - 8 * HOUR_MS });
  await daemon.clock.runUntil(EVENING);
  const page = pageText("docs/http-api.md");
  const line = /```js\n(Timer\.set\(60000.*)\n```/.exec(page)?.[1] ?? "";
  const script = line.replace("http://192.168.1.5:8080", `${daemon.url}`).replace("<key>", LAN_KEY);
  expect(script).not.toBe(line);
  const switched: unknown[] = [];
  let tick = async (): Promise<void> => undefined;
  const shelly = (method: string, params: Record<string, unknown>, done?: (result: unknown) => void) => {
    if (method === "Switch.Set") switched.push(params);
    else pending = request(params).then(done, () => done?.(undefined));
  };
  let pending: Promise<unknown> | null = null;
  runInNewContext(script, {
    Timer: {
      set: (_ms: number, _repeat: boolean, work: () => void) => {
        tick = async () => {
          work();
          await pending;
        };
      },
    },
    Shelly: { call: shelly },
  });
  const on: EpochMs[] = [];
  for (let now = EVENING; now < Date.parse("2026-03-11T06:00:00Z"); now += STEP_MS) {
    await daemon.clock.runUntil(now);
    await tick();
    if ((switched.at(-1) as { on: boolean }).on) on.push(now);
  }
  expect(runsOf(on).map(([, hours]) => hours)).toEqual([3]);
  expect(switched.filter((params) => (params as { on: boolean }).on)[0]).toEqual({
    id: 0,
    on: true,
    toggle_after: 900,
  });
  await daemon.stop();
  await tick();
  expect(switched.at(-1)).toEqual({ id: 0, on: false });
});

/** Emulates the firmware's HTTP.Request. */
async function request({ url, headers, method }: Record<string, unknown>): Promise<unknown> {
  const answer = await fetch(String(url), { method: String(method), headers: headers as Record<string, string> });
  return { code: answer.status, body: await answer.text() };
}
