import { expect, test } from "vitest";
import { BrokerUsers, hashPassword, mayPublish } from "../../../../src/mqtt/broker/users.ts";

const GROUND = { baseTopic: "elbro", discoveryPrefix: "homeassistant" };

test("a hashed password is not readable and is accepted like a plain one, also the second time", async () => {
  const hashed = await hashPassword("open sesame");
  expect(hashed).not.toContain("sesame");
  expect(await hashPassword("open sesame")).not.toBe(hashed);
  const users = new BrokerUsers([{ name: "ha", password: hashed, commands: false }]);
  for (let i = 0; i < 2; i++) {
    expect((await users.find("ha", Buffer.from("open sesame")))?.name).toBe("ha");
    expect(await users.find("ha", Buffer.from("open sesame!"))).toBeNull();
    expect(await users.find("ha", Buffer.from(hashed))).toBeNull();
  }
});

test("a new hash names its parameters; one without them, of an earlier version, is accepted", async () => {
  expect(await hashPassword("open sesame")).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/);
  const earlier = "$scrypt$c2FsdCBvZiBzaXh0ZWVuIQ==$4YGdpq2/UwnqIO4MaJ2vatIItHEwMkHcBPtL/edwWK0=";
  const users = new BrokerUsers([{ name: "ha", password: earlier, commands: false }]);
  expect((await users.find("ha", Buffer.from("open sesame")))?.name).toBe("ha");
  expect(await users.find("ha", Buffer.from("open sesame!"))).toBeNull();
});

/** Returns processor time in ms, which is the same on a busy machine. */
function cpuMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

test("many wrong passwords do not delay the right one: the newest login is checked next", async () => {
  const users = new BrokerUsers([{ name: "ha", password: await hashPassword("open sesame"), commands: true }]);
  const answers: boolean[] = [];
  const login = async (password: string) => answers.push((await users.find("ha", Buffer.from(password))) !== null);
  await Promise.all([...Array<string>(14).fill("guess"), "open sesame"].map(login));
  // Two guesses are being checked when it comes. The other thread can check some more before it is done.
  expect(answers.indexOf(true)).toBeLessThan(10);
  expect(answers.filter((isRight) => !isRight)).toHaveLength(14);
});

test("a wrong login takes as long for a plain password and an unknown name as for a hash", async () => {
  const users = new BrokerUsers([
    { name: "tv", password: "other", commands: false },
    { name: "ha", password: await hashPassword("open sesame"), commands: true },
  ]);
  const times: Record<string, number> = {};
  for (let i = 0; i < 3; i++)
    for (const name of ["ha", "tv", "nobody"]) {
      const before = process.cpuUsage();
      expect(await users.find(name, Buffer.from("wrong"))).toBeNull();
      times[name] = Math.min(times[name] ?? Number.POSITIVE_INFINITY, cpuMs(process.cpuUsage(before)));
    }
  const { ha = 0, tv, nobody } = times;
  expect(tv).toBeGreaterThan(ha / 3);
  expect(nobody).toBeGreaterThan(ha / 3);
  expect((await users.find("tv", Buffer.from("other")))?.name).toBe("tv");
});

test.each([
  ["elbro/home/price", false, false],
  ["elbro", false, false],
  ["elbro/status", false, false],
  ["elbro/home/plan/washer/hours/set", false, true],
  ["elbro/command/refresh", false, true],
  ["elbro/commands", false, false],
  ["homeassistant/device/elbro_home/config", false, false],
  ["homeassistant/sensor/x/config", true, true],
  ["homeassistant/status", true, true],
  ["zigbee2mqtt/lamp/set", true, true],
  ["elbrook/x", true, true],
  ["$SYS/broker", false, false],
])("%s may be published by a plain user: %s, by one with commands: %s", (topic, plain, commanding) => {
  expect(mayPublish({ commands: false }, { topic, payload: "x" }, GROUND)).toBe(plain);
  expect(mayPublish({ commands: true }, { topic, payload: "x" }, GROUND)).toBe(commanding);
});

test("the removal of elbro's own device needs commands; documents of other programs are theirs", () => {
  const topic = "homeassistant/device/elbro_home/config";
  expect(mayPublish({ commands: true }, { topic, payload: "" }, GROUND)).toBe(true);
  expect(mayPublish({ commands: false }, { topic, payload: "" }, GROUND)).toBe(false);
  for (const other of [
    "homeassistant/device/elbroid_1/config",
    "homeassistant/switch/0x00158d0001a2b3c4/switch/config",
    "homeassistant/sensor/4F21A0_ENERGY_Power/config",
    "homeassistant/switch/bathroom/floor_relay/config",
  ])
    expect(mayPublish({ commands: false }, { topic: other, payload: "{}" }, GROUND)).toBe(true);
});
