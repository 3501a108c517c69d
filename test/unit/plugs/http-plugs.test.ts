/** Tests plugs over HTTP: the real client with emulated devices, without a broker. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { PlugConfig } from "../../../src/config/schema/plug-schema.ts";
import { plugFamilies } from "../../../src/core/plugs/families/families.ts";
import type { Wanted } from "../../../src/core/plugs/plug-types.ts";
import { type Problem, Problems } from "../../../src/core/status/problem.ts";
import { MINUTE_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { type HttpAccess, type HttpPlug, openHttpPlug, type PlugAnswer } from "../../../src/plugs/http-plug.ts";
import type { PlugManager } from "../../../src/plugs/plug-manager.ts";
import {
  HTTP_FAMILIES,
  type HttpFamily,
  type HttpPlugOptions,
  HttpPlugServer,
} from "../../support/plugs/http-plug-server.ts";
import { openPlugs } from "../../support/plugs/plug-manager.ts";
import { loopMs } from "../../support/runner/loop-time.ts";
import { lacks } from "../../support/runner/needs.ts";
import { RawServer, rawAnswer } from "../../support/service/raw-server.ts";
import { createSelfSigned } from "../../support/service/self-signed.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const T0 = Date.UTC(2026, 2, 10, 12);

/** Access without a login. */
function accessTo(url: string): HttpAccess {
  return { url, login: "digest", username: "admin", password: undefined, certificate: () => null };
}

/** The daemon's plugs and one device, with a manual clock. */
class HttpWorld implements AsyncDisposable {
  now = T0;
  wanted: Wanted = { on: false, until: null };
  /** Problems that were started, and not yet ended. */
  readonly problems: Problem[] = [];
  readonly memory = new Map<string, string>();
  readonly plugs: PlugManager;
  readonly server: HttpPlugServer;
  #lookAt = T0;
  /** Requests without a response. */
  #open = 0;
  #answered: () => void = () => undefined;

  private constructor(server: HttpPlugServer, config: PlugConfig) {
    this.server = server;
    const kept = new Problems((problem, state) => {
      if (state === "started") this.problems.push(problem);
      else this.problems.splice(0, Infinity, ...this.problems.filter(({ subject }) => subject !== problem.subject));
    });
    this.plugs = openPlugs({
      plugs: [config],
      wanted: () => this.wanted,
      openHttp: (access, onAnswer) => this.#openCounted(access, onAnswer),
      memory: new TestMemory(this.memory),
      problems: kept,
      wake: () => {
        this.#lookAt = this.now;
      },
    });
  }

  static async start(
    family: HttpFamily,
    more: Partial<PlugConfig> = {},
    options: HttpPlugOptions = {},
  ): Promise<HttpWorld> {
    const server = await HttpPlugServer.start(family, options);
    const config = { name: "Plug", family, url: server.url, override: "respect", inverted: false } as const;
    const world = new HttpWorld(server, { ...config, min_on: 0, min_off: 0, ...more });
    await world.settle();
    return world;
  }

  #openCounted(access: HttpAccess, onAnswer: (answer: PlugAnswer) => void): HttpPlug {
    const plug = openHttpPlug(access, (answer) => {
      this.#open--;
      onAnswer(answer);
      this.#answered();
    });
    return {
      ...plug,
      send: (message) => {
        const sent = plug.send(message);
        if (sent) this.#open++;
        return sent;
      },
    };
  }

  async settle(): Promise<void> {
    while (this.#open > 0 || this.#lookAt <= this.now) {
      this.server.now = this.now;
      if (this.#lookAt <= this.now) this.#lookAt = this.plugs.tick(this.now);
      if (this.#open > 0)
        await new Promise<void>((resolve) => {
          this.#answered = resolve;
        });
    }
  }

  async wants(wanted: Wanted): Promise<void> {
    this.wanted = wanted;
    this.#lookAt = this.now;
    await this.settle();
  }

  async runUntil(end: number): Promise<void> {
    while (this.now < end) {
      this.now = Math.min(end, this.#lookAt);
      this.server.device.tick(this.now);
      await this.settle();
    }
  }

  /** Advances only the device's time, as if the daemon had stopped. */
  passes(ms: number): void {
    this.server.device.tick(this.now + ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plugs.close();
    await this.server[Symbol.asyncDispose]();
  }
}

describe.each(HTTP_FAMILIES)("%s over HTTP", (family) => {
  test("gets OFF at the start, a timed ON in its run, renewed every quarter hour, and OFF at its end", async () => {
    await using world = await HttpWorld.start(family);
    const { device } = world.server;
    expect([device.on, world.plugs.snapshots()[0]]).toMatchObject([false, { available: true, code: "wanted_off" }]);
    const end = T0 + 40 * MINUTE_MS;
    await world.wants({ on: true, until: end });
    for (let quarter = T0; quarter < end; quarter += QUARTER_MS) {
      await world.runUntil(quarter);
      expect(device.on).toBe(true);
      expect(device.timerAt).toBe(Math.min(quarter + QUARTER_MS, end) + 150_000);
    }
    await world.runUntil(end - 1);
    await world.wants({ on: false, until: null });
    expect([device.on, device.timerAt, world.problems]).toEqual([false, null, []]);
    expect([...world.memory.keys()].filter((name) => name.endsWith("certificate"))).toEqual([]);
  });

  test("switches off by its timer if elbro dies in a run", async () => {
    await using world = await HttpWorld.start(family);
    await world.wants({ on: true, until: T0 + 40 * MINUTE_MS });
    world.passes(17.4 * MINUTE_MS);
    expect(world.server.device.on).toBe(true);
    world.passes(17.5 * MINUTE_MS);
    expect(world.server.device.on).toBe(false);
  });

  test("with when_lost: on switches on by its timer if elbro dies in a gap", async () => {
    await using world = await HttpWorld.start(family, { when_lost: "on" });
    await world.wants({ on: true, until: null });
    expect([world.server.device.on, world.server.device.timerAt]).toEqual([true, null]);
    await world.wants({ on: false, until: T0 + 40 * MINUTE_MS });
    expect(world.server.device.on).toBe(false);
    world.passes(17.5 * MINUTE_MS);
    expect(world.server.device.on).toBe(true);
  });

  test("has a manual override within a minute of its button being pressed", async () => {
    await using world = await HttpWorld.start(family);
    await world.runUntil(T0 + 5 * MINUTE_MS);
    world.server.device.press(world.now);
    await world.runUntil(T0 + 6 * MINUTE_MS);
    expect(world.plugs.snapshots()[0]).toMatchObject({ on: true, code: "switched_on_by_hand" });
    await world.runUntil(T0 + 60 * MINUTE_MS);
    expect([world.server.device.on, world.server.device.timerAt]).toEqual([true, null]);
  });

  test("without power is unavailable and a problem; afterwards it gets its command again", async () => {
    await using world = await HttpWorld.start(family);
    world.server.device.losePower();
    await world.wants({ on: true, until: T0 + 60 * MINUTE_MS });
    await world.runUntil(T0 + 2 * MINUTE_MS);
    expect(world.plugs.snapshots()[0]).toMatchObject({ available: false, silent: true });
    expect(world.problems).toMatchObject([{ code: "plug_silent" }]);
    world.server.device.getPower(world.now);
    await world.runUntil(T0 + 3 * MINUTE_MS);
    expect(world.server.device.on).toBe(true);
    expect(world.plugs.snapshots()[0]).toMatchObject({ available: true, silent: false });
  });
});

test("an inverted plug has its relay off while the appliance is on, and the relay's OFF has the timer", async () => {
  await using world = await HttpWorld.start("shelly_gen4", { inverted: true });
  const { device } = world.server;
  expect([device.on, world.plugs.snapshots()[0]?.on]).toEqual([true, false]);
  await world.wants({ on: true, until: T0 + 40 * MINUTE_MS });
  expect([device.on, world.plugs.snapshots()[0]?.on]).toEqual([false, true]);
  world.passes(17.5 * MINUTE_MS);
  expect(device.on).toBe(true);
});

test("a plug gets no other command, and is no problem, before it has answered the last", async () => {
  await using world = await HttpWorld.start("tasmota");
  world.server.asked.length = 0;
  world.wanted = { on: true, until: T0 + 40 * MINUTE_MS };
  // No answer is read before `settle`, however slow the device or fast the clock is.
  for (; world.now < T0 + 5 * MINUTE_MS; world.now += MINUTE_MS) world.plugs.tick(world.now);
  await world.settle();
  expect(world.server.asked.filter((path) => /Power\d* ON/i.test(path))).toHaveLength(1);
  expect([world.server.device.on, world.problems]).toEqual([true, []]);
});

test("a plug that never responds gets at most four requests, and does not delay shutdown", async () => {
  await using server = await HttpPlugServer.start("tasmota");
  server.hangs = true;
  const answers: PlugAnswer[] = [];
  const plug = openHttpPlug(accessTo(server.url), (answer) => answers.push(answer));
  const sent = Array.from({ length: 6 }, (_, i) => plug.send({ topic: `/cm?cmnd=${i}`, payload: "" }));
  expect(sent).toEqual([true, true, true, true, false, false]);
  expect(await loopMs(plug.close())).toBeLessThan(1_900);
  expect(answers).toEqual(Array.from({ length: 4 }, () => ({ kind: "silent" })));
});

test.each([
  ["of 8 MB", "[".repeat(8_000_000), null],
  ["without an end", null, null],
  ["as a plug gives", '{"output":true}', '{"output":true}'],
])("a response %s", async (_, body, heard) => {
  await using server = await RawServer.start((socket) => {
    if (body !== null) return void socket.end(rawAnswer(body));
    const flood = () => {
      if (!socket.destroyed) socket.write(Buffer.alloc(65_536, "["), () => setImmediate(flood));
    };
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    flood();
  });
  const answered = Promise.withResolvers<PlugAnswer>();
  const plug = openHttpPlug(accessTo(server.url), answered.resolve);
  plug.send({ topic: "/rpc/Switch.GetStatus", payload: "" });
  expect(await answered.promise).toEqual(
    heard === null ? { kind: "silent" } : { kind: "answered", body: heard, certificate: null },
  );
  await plug.close();
});

const LOGIN = { username: "admin", password: "café & co" };

describe.each(HTTP_FAMILIES)("%s with a password", (family) => {
  test("is switched with the right password, also after the device forgot its nonces", async () => {
    await using world = await HttpWorld.start(family, { password: LOGIN.password }, { login: LOGIN });
    await world.wants({ on: true, until: T0 + 40 * MINUTE_MS });
    expect([world.server.device.on, world.problems]).toEqual([true, []]);
    world.server.forgetNonces();
    await world.runUntil(T0 + 5 * MINUTE_MS);
    expect([world.plugs.snapshots()[0]?.available, world.problems]).toEqual([true, []]);
  });

  test("is let in at its first request", async () => {
    await using server = await HttpPlugServer.start(family, { login: LOGIN });
    const row = plugFamilies[family];
    const answered = Promise.withResolvers<PlugAnswer>();
    const access = { ...accessTo(server.url), password: LOGIN.password, login: row.http.login };
    const plug = openHttpPlug(access, answered.resolve);
    plug.send({ topic: family === "tasmota" ? "/cm?cmnd=Power1" : "/rpc/Switch.GetStatus?id=0", payload: "" });
    expect(await answered.promise).toMatchObject({ kind: "answered" });
    await plug.close();
  });

  test("without a password in the configuration is a problem that names it, not power or network", async () => {
    await using world = await HttpWorld.start(family, {}, { login: LOGIN });
    await world.wants({ on: true, until: T0 + 40 * MINUTE_MS });
    await world.runUntil(T0 + 5 * MINUTE_MS);
    expect(world.server.device.on).toBe(false);
    expect(world.problems).toMatchObject([{ code: "plug_refuses", detail: "it asks for a password: set password" }]);
  });

  test("with a changed password is a problem until it is right again, and gets few requests meanwhile", async () => {
    await using world = await HttpWorld.start(family, { password: LOGIN.password }, { login: LOGIN });
    world.server.password = "another";
    await world.runUntil(T0 + 2 * MINUTE_MS);
    const [problem] = world.problems;
    expect(problem).toMatchObject({ code: "plug_refuses", detail: "it rejects the user name or the password" });
    const before = world.server.asked.length;
    await world.runUntil(T0 + 12 * MINUTE_MS);
    expect(world.server.asked.length - before).toBeLessThanOrEqual(3 * 10);
    world.server.password = LOGIN.password;
    await world.runUntil(T0 + 14 * MINUTE_MS);
    expect(world.problems).toEqual([]);
  });
});

test("a Tasmota that refuses the login with the status 200 is the same problem", async () => {
  const body = '{"WARNING":"Need user=<username>&password=<password>"}';
  await using server = await RawServer.start((socket) => void socket.end(rawAnswer(body)));
  const { refusal } = plugFamilies.tasmota.http;
  const answered = Promise.withResolvers<PlugAnswer>();
  const plug = openHttpPlug({ ...accessTo(server.url), login: "query", refusal }, answered.resolve);
  plug.send({ topic: "/cm?cmnd=Power1", payload: "" });
  expect(await answered.promise).toEqual({ kind: "login_needed" });
  await plug.close();
});

test("an error of the device is a problem that quotes it", async () => {
  await using world = await HttpWorld.start("shelly_gen3");
  const body = '{"code":-105,"message":"Argument \'id\', value 3 not found!"}';
  world.server.failsWith = { status: 500, body };
  await world.runUntil(T0 + 2 * MINUTE_MS);
  const detail = `it answers with the HTTP status 500: ${body}`;
  expect(world.problems).toMatchObject([{ code: "plug_refuses", detail }]);
  world.server.failsWith = null;
  await world.runUntil(T0 + 4 * MINUTE_MS);
  expect(world.problems).toEqual([]);
});

test("a redirect to https is a problem with the address to use", async () => {
  await using world = await HttpWorld.start("shelly_gen3");
  world.server.redirectsTo = "https://192.168.1.40";
  await world.runUntil(T0 + 2 * MINUTE_MS);
  expect(world.problems).toMatchObject([
    { code: "plug_refuses", detail: "it redirects to https://192.168.1.40: use it as url" },
  ]);
});

const tls = [createSelfSigned(), createSelfSigned()];
describe.skipIf(tls.includes(null))("a plug with https (needs openssl)", () => {
  const [first, second] = tls.map((each) => each ?? undefined);

  test("a plug with https is switched; its certificate of the first connection stays the only one, and no password is sent to another", async () => {
    const options = { login: LOGIN, ...(first ? { tls: first } : {}) };
    await using world = await HttpWorld.start("shelly_gen4", { password: LOGIN.password }, options);
    await world.wants({ on: true, until: T0 + 40 * MINUTE_MS });
    expect([world.server.device.on, world.problems]).toEqual([true, []]);
    const { port } = world.server;
    await world.server[Symbol.asyncDispose]();
    await using impostor = await HttpPlugServer.start("shelly_gen4", second ? { tls: second } : {}, port);
    await world.runUntil(T0 + 3 * MINUTE_MS);
    expect(impostor.asked).toEqual([]);
    const [problem] = world.problems;
    expect(problem?.detail).toMatch(
      /^it shows another certificate than before; if you replaced or reset the device, set certificate to ([0-9A-F]{2}:){31}[0-9A-F]{2}$/,
    );
  });

  test("with another certificate in the configuration is never asked", async () => {
    const certificate = Array.from({ length: 32 }, () => "ab").join(":");
    await using world = await HttpWorld.start("shelly_gen4", { certificate }, first ? { tls: first } : {});
    expect([world.server.asked, world.problems.map(({ code }) => code)]).toEqual([[], ["plug_refuses"]]);
  });
});

test.skipIf(lacks("curl"))(
  "the emulated digest login admits curl with the right password only (needs curl)",
  async () => {
    await using server = await HttpPlugServer.start("shelly_gen2", { login: LOGIN });
    const statusOf = async (password: string) => {
      const url = `${server.url}/rpc/Switch.GetStatus?id=0`;
      const format = ["-s", "-o", "/dev/null", "-w", "%{http_code}"];
      const { stdout } = await promisify(execFile)("curl", [...format, "--digest", "-u", `admin:${password}`, url]);
      return stdout;
    };
    expect([await statusOf(LOGIN.password), await statusOf("another")]).toEqual(["200", "401"]);
  },
);
