/**
 * Hostile texts of each source against the built program with the flags of `npm start`: it never ends, stays within its
 * memory, and switches plugs in time.
 */
import { setTimeout as pause } from "node:timers/promises";
import { HostileClients } from "../support/broker/hostile-clients.ts";
import { AttackedHouse, ELSEWHERE, STRANGER, type Text } from "./attacked-house.ts";
import { hostileTexts } from "./hostile-texts.ts";
import type { PartOptions, Report } from "./part.ts";

const MAX_RESIDENT_MB = 200;
const SHORT_STEP = 12;
const SHORT_SOURCES: readonly string[] = ["list of devices, retained", "body of a request"];
const UNFINISHED = 90;
const AT_A_TIME = 30;
/** Beginning of a PUBLISH of 4,100,000 bytes. */
const PUBLISH = Buffer.from([0x30, 0xa0, 0x9f, 0xfa, 0x01]);
/** Time until memory of unfinished packets is free again: the limit of a packet is 20 s. */
const FREED_MS = 30_000;
const FREED_MB = 60;
const LOGIN_WAIT_MS = 20_000;

/** Result of a source that elbro did not ask. */
const NOT_ASKED = "not asked";

type Send = (house: AttackedHouse, text: Text) => Promise<unknown>;

/** Sources of a running program. */
const sources: Readonly<Record<string, Send>> = {
  "list of devices": (house, text) => house.publish("zigbee2mqtt/bridge/devices", text),
  "list of devices, retained": (house, text) => house.publish("zigbee2mqtt/bridge/devices", text, { retain: true }),
  "topics of a plug": async (house, text) => {
    for (const topic of ["Kitchen plug", "Kitchen plug/availability", "bridge/state"])
      await house.publish(`zigbee2mqtt/${topic}`, text);
  },
  command: (house, text) =>
    house.publish("elbro/home/once/set", text, { login: { username: "owner", password: "owner" } }),
  "body of a request": (house, text) => house.request("/local/v1/plans", "application/json", text),
  "uploaded copy": (house, text) => house.request("/local/v1/backup", "application/octet-stream", text),
};

/** Sources that a program asks after its start. */
const atStart: Readonly<Record<string, Send>> = {
  "list of devices, at the start": async (house, text) => {
    await house.publish("zigbee2mqtt/bridge/devices", text, { retain: true });
    await house.launch("other", 1);
  },
  service: async (house, text) => {
    [house.serviceText, house.serviceAnswers] = [text, 0];
    await house.launch("other", 13);
    const began = performance.now();
    while (house.serviceAnswers === 0 && !house.hasEnded && performance.now() - began < LOGIN_WAIT_MS) await pause(20);
    // After several bad answers elbro waits before it asks again.
    return house.serviceAnswers > 0 ? null : NOT_ASKED;
  },
  "Home Assistant": async (house, text) => {
    const { logins } = house.homeAssistant;
    await house.launch("other", 1);
    const began = performance.now();
    while (house.homeAssistant.logins === logins && performance.now() - began < LOGIN_WAIT_MS) await pause(20);
    if (house.homeAssistant.logins === logins) throw new Error("Home Assistant was not asked");
    house.homeAssistant.say(String(text));
  },
};

/** Sends the texts, and returns their number. */
export async function texts({ scale }: PartOptions, report: Report): Promise<number> {
  const chosen = Object.entries(hostileTexts).filter((_, i) => scale === 1 || i % SHORT_STEP === 0);
  const all = [
    ...Object.entries(sources)
      .filter(([name]) => scale === 1 || SHORT_SOURCES.includes(name))
      .map(([name, send]) => [name, send, "own"] as const),
    ...(scale === 1 ? Object.entries(atStart).map(([name, send]) => [name, send, "other"] as const) : []),
  ];
  let sent = 0;
  row("source", "texts", "ended", "limited", "peak MB", "text of the peak", "slowest switch, s");
  for (const [name, send, broker] of all) {
    await using house = await AttackedHouse.start(broker);
    await house.switchPlug();
    await house.switchPlug();
    let [asked, ended, peak, slowest] = [0, 0, { mb: 0, text: "" }, 0];
    for (const [text, make] of chosen) {
      const { tookMs, mb, failure, wasAsked } = await attack(house, broker, () => send(house, make()));
      sent++;
      if (wasAsked) asked++;
      const broken = (what: string) => report.broken("stuck", `${name}: ${text}: ${what}`);
      if (mb > peak.mb) peak = { mb, text };
      slowest = Math.max(slowest, tookMs);
      if (AttackedHouse.isLate(tookMs)) broken(`switched after ${tookMs.toFixed(0)} ms`);
      if (mb > MAX_RESIDENT_MB) broken(`${mb.toFixed(0)} MB resident`);
      if (failure === null) continue;
      if (house.hasEnded) ended++;
      broken(`${failure}\n${house.output.slice(-500)}`);
      house.serviceText = null;
      await house.publish("zigbee2mqtt/bridge/devices", "", { retain: true }).catch(() => undefined);
      await house.launch(broker, 1);
    }
    row(
      name,
      asked,
      ended,
      house.isLimited ? "256 MB" : "no",
      peak.mb.toFixed(0),
      peak.text,
      (slowest / 1_000).toFixed(2),
    );
  }
  sent += await unfinished(report, scale);
  return sent;
}

/** Sends a text while a plug is switched. Returns the time of the switch in ms and the peak of the memory in MB. */
async function attack(house: AttackedHouse, broker: "own" | "other", send: () => Promise<unknown>) {
  let tookMs = 0;
  try {
    if (broker === "own") house.forgetPeak();
    const sending = send();
    if (broker === "other") await sending;
    tookMs = await house.switchPlug();
    const wasAsked = (await sending) !== NOT_ASKED;
    tookMs = Math.max(tookMs, await house.switchPlug());
    const failure = house.hasEnded ? "the program ended" : null;
    return { tookMs, mb: house.hasEnded ? 0 : house.memory().peakMb, failure, wasAsked };
  } catch (error) {
    return { tookMs, mb: 0, failure: error instanceof Error ? String(error.stack) : String(error), wasAsked: false };
  }
}

/** Sends 90 packets of 4 MB without their last bytes. Returns their number. */
async function unfinished(report: Report, scale: number): Promise<number> {
  await using house = await AttackedHouse.start("own");
  await house.switchPlug();
  const before = house.memory().nowMb;
  house.forgetPeak();
  using clients = new HostileClients();
  const bytes = Buffer.concat([loginOf(STRANGER), PUBLISH, Buffer.alloc(4_000_000, 0x41)]);
  let tookMs = 0;
  // The broker accepts 32 connections of an address that have not logged in yet.
  for (let i = 0; i < UNFINISHED; i += AT_A_TIME) {
    await clients.open(house.brokerPort, AT_A_TIME, bytes, { from: ELSEWHERE });
    tookMs = Math.max(tookMs, await house.switchPlug());
  }
  if (scale === 1) await pause(FREED_MS);
  const { nowMb, peakMb } = house.memory();
  row("unfinished packets", UNFINISHED, 0, peakMb.toFixed(0), `${clients.closed} closed`, (tookMs / 1_000).toFixed(2));
  process.stdout.write(`unfinished packets: ${before.toFixed(0)} MB before, ${nowMb.toFixed(0)} MB afterwards\n`);
  if (AttackedHouse.isLate(tookMs) || peakMb > MAX_RESIDENT_MB || (scale === 1 && nowMb > before + FREED_MB))
    report.broken("stuck", `unfinished packets: ${peakMb} MB, afterwards ${nowMb} MB, switched after ${tookMs} ms`);
  return UNFINISHED;
}

/** Returns a CONNECT of MQTT 3.1.1. */
function loginOf({ username, password }: typeof STRANGER): Buffer {
  const field = (text: string) => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)]);
  const rest = Buffer.concat([
    ...[field("MQTT"), Buffer.from([4, 0xc2, 0, 60]), field("")],
    ...[field(username), field(password)],
  ]);
  return Buffer.concat([Buffer.from([0x10, rest.length]), rest]);
}

const WIDTHS = [30, 6, 6, 8, 42, 18];

function row(...cells: readonly (string | number)[]): void {
  process.stdout.write(`${cells.map((cell, i) => String(cell).padEnd(WIDTHS[i] ?? 0)).join(" ")}\n`);
}
