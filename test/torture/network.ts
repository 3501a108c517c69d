/**
 * Network faults between the daemon and the service, and between the daemon and a broker, each for the hours in which
 * tomorrow's prices arrive. During a fault, devices on the LAN must get fast responses, and a wrong `Date` header must
 * not be used. When the network works again, prices must arrive within the quota.
 */
import { RELEASED_AT } from "../../src/core/status/version.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/core/time/interval.ts";
import { startEmbeddedBroker } from "../../src/mqtt/broker/embedded-broker.ts";
import { TopicWatcher } from "../support/broker/topic-watcher.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { UNKNOWN_HOST } from "../support/http/unknown-host.ts";
import { FAULTS, type FaultName, FaultyProxy } from "./faulty-proxy.ts";
import { DENIED, type PartOptions, type Report } from "./part.ts";

/** 11:30 in Copenhagen, in winter. Tomorrow's prices arrive at 13:00. */
const START = Date.UTC(new Date(RELEASED_AT).getUTCFullYear() + 1, 1, 3, 10, 30);
const SIMULATOR = { homes: ["danish"], publicationDelayMinutes: () => 0, limits: { minute: 60, day: 400 } } as const;
const HISTORY = { months: 0 };
/** Maximum response time. Stored data is returned within 1 s, even if the service does not respond. */
const MAX_ANSWER_MS = 2_500;
/** Maximum time until the prices return. A circuit breaker pauses for at most 60 min. */
const MAX_MINUTES = 120;
const STEP_MINUTES = 15;

type Way = FaultName | "no such name" | "TLS to a plain port";

/** Runs `wanted` network faults. Returns their number. */
export async function network(wanted: number, { random }: PartOptions, report: Report): Promise<number> {
  const ways: readonly Way[] = [...(Object.keys(FAULTS) as FaultName[]), "no such name", "TLS to a plain port"];
  const first = random.below(ways.length);
  for (let i = 0; i < wanted; i++) {
    const way = ways[(first + i) % ways.length] ?? "reset";
    try {
      await withoutService(way, report);
      if (i % 2 === 0 && way in FAULTS) await withoutBroker(way as FaultName, report);
    } catch (error) {
      report.broken("stuck", `${way}: ${error instanceof Error ? error.stack : error}`);
    }
  }
  return wanted;
}

async function withoutService(way: Way, report: Report): Promise<void> {
  await using daemon = await TestDaemon.start({ start: START, serviceAheadMs: 0, simulator: SIMULATOR });
  await using proxy = await FaultyProxy.to(Number(new URL(daemon.simulator.url).port));
  const url = `http://127.0.0.1:${proxy.port}`;
  await daemon.restart({ service: { base_url: url }, history: HISTORY });
  await daemon.untilPriced();
  const bad = { "no such name": `http://${UNKNOWN_HOST}`, "TLS to a plain port": url.replace("http:", "https:") }[
    way as string
  ];
  if (bad) await daemon.restart({ service: { base_url: bad }, history: HISTORY });
  else proxy.break(way as FaultName);
  for (let hour = 0; hour < 3; hour++) {
    await daemon.clock.runUntil(daemon.clock.now() + HOUR_MS);
    const began = performance.now();
    const { status } = await daemon.request("/consumer/v1/me/addresses");
    const tookMs = performance.now() - began;
    // Another base_url is another service, whose data is not stored here.
    if (status !== (bad ? 502 : 200) || tookMs > MAX_ANSWER_MS)
      report.broken("stuck", `${way}: ${status} to a device after ${tookMs.toFixed(0)} ms`);
  }
  if (daemon.log.some(({ facts }) => "code" in facts && facts.code === "clock_wrong"))
    report.broken("lost", `${way}: its clock was believed`);
  if (bad) await daemon.restart({ service: { base_url: url }, history: HISTORY });
  else proxy.break(null);
  const isBack = async () => {
    const { homes } = (await (await daemon.request("/local/v1/now")).json()) as {
      homes: { tomorrow_valid: boolean }[];
    };
    return homes[0]?.tomorrow_valid === true;
  };
  for (let minutes = 0; minutes < MAX_MINUTES && !(await isBack()); minutes += STEP_MINUTES)
    await daemon.clock.runUntil(daemon.clock.now() + STEP_MINUTES * MINUTE_MS);
  if (!(await isBack())) report.broken("stuck", `${way}: no prices of tomorrow two hours after the network is back`);
  const denied = daemon.simulator.answered().filter(({ status }) => DENIED.includes(status)).length;
  if (denied > 0) report.broken("denied", `${way}: ${denied} requests`);
}

async function withoutBroker(way: FaultName, report: Report): Promise<void> {
  const nobody = { baseTopic: "nobody", discoveryPrefix: "nobody", onRefused() {}, onConnectionRefused() {} };
  const broker = await startEmbeddedBroker({ host: "127.0.0.1", port: 0, users: [], anonymous: true, ...nobody });
  try {
    await using proxy = await FaultyProxy.to(broker.port);
    await using watcher = await TopicWatcher.on(broker.port);
    const config = { mqtt: { url: `mqtt://127.0.0.1:${proxy.port}` }, history: HISTORY };
    await using daemon = await TestDaemon.start({ start: START, simulator: SIMULATOR, config });
    const online = () => watcher.until(() => watcher.payload("elbro/status") === "online", "online");
    await online();
    proxy.break(way);
    await daemon.clock.runUntil(daemon.clock.now() + HOUR_MS);
    if ((await daemon.request("/local/v1/now")).status !== 200)
      report.broken("stuck", `${way} of the broker: no answer`);
    await watcher.until(() => watcher.payload("elbro/status") === "offline", "the will").catch(() => undefined);
    proxy.break(null);
    await online();
  } finally {
    await broker.close();
  }
}
