/**
 * What the built program publishes for other programs at five times of five days, with and without the prices of
 * tomorrow, and what the service answers at the same time. Only topics and HTTP are used.
 */
import { setTimeout as pause } from "node:timers/promises";
import { MINUTE_MS } from "../../src/core/time/interval.ts";
import type { PriceRow } from "../../src/service/contract/resources.ts";
import { demoHomes, homeNames } from "../../src/simulator/homes.ts";
import { retainedIn } from "../support/broker/retained.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { calendar, dayOf } from "../support/home/price-days.ts";
import type { DaemonProcess } from "../support/processes/daemon-process.ts";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";

/** Days before and with each clock change, and an ordinary one. */
const DAYS = ["2026-03-28", "2026-03-29", "2026-06-10", "2026-10-24", "2026-10-25"];
/** Local times of day in minutes. */
const TIMES = [1, 6 * 60 + 30, 13 * 60 + 10, 18 * 60, 23 * 60 + 50];
/** When prices are published, in minutes after 13:00 of the day before: in time for the whole day, or too late for it. */
const PUBLISHED = { there: -13 * 60, missing: 11 * 60 - 5 };
/** The clock stands still: 1 ms of its time takes 11 days. */
const STANDS_STILL = "0.000000001";
/** Homes with the format of their entity. The programs that read over HTTP read the first. */
const HOMES = [
  { id: "home", of: demoHomes.danish, format: "nordpool" },
  { id: "stugan", of: demoHomes.swedish, format: "predbat" },
  { id: "hytta", of: demoHomes.norwegian, format: "energidataservice" },
] as const;
const OVER_HTTP = ["emhass", "evcc", "powersaver"] as const;
const LOOKS = 300;
const LOOK_MS = 100;

export interface Row {
  readonly start: number;
  readonly end: number;
  readonly price: number;
  /** Charges within the price. */
  readonly charges: number;
}

export interface Case {
  readonly name: string;
  readonly now: number;
  readonly date: string;
  /** Attributes of the entity by its format, as an MQTT client receives them. */
  readonly entities: Readonly<Record<string, object>>;
  /** Bodies by format. */
  readonly http: Readonly<Record<string, unknown>>;
  /** The service's prices by format: of today and tomorrow as far as they are published, then the estimates. */
  readonly right: Readonly<Record<string, { readonly confirmed: readonly Row[]; readonly estimates: readonly Row[] }>>;
}

/** Yields the cases one by one. */
export async function* cases(): AsyncGenerator<Case> {
  for (const date of DAYS)
    for (const minute of TIMES)
      for (const tomorrow of ["there", "missing"] as const) {
        const now = calendar.timeOnDay(dayOf(date).start, minute);
        yield await caseAt({ date, now, tomorrow });
      }
}

type Moment = { readonly date: string; readonly now: number; readonly tomorrow: keyof typeof PUBLISHED };

async function caseAt({ date, now, tomorrow }: Moment): Promise<Case> {
  await using installed = await InstalledDaemon.prepare({
    simulator: { now: () => now, publicationDelayMinutes: () => PUBLISHED[tomorrow], homes: homeNames },
    config: {
      history: { months: 1 },
      homes: HOMES.map(({ id, of, format }) => ({ address_id: of.address.id, id, format })),
    },
  });
  await using daemon = installed.spawn(["run", "--clock", new Date(now).toISOString(), "--speed", STANDS_STILL]);
  const { url, keys } = installed.simulator;
  const right: Record<string, Case["right"][string]> = {};
  for (const { of, format } of HOMES) right[format] = await pricesOf(url, keys.consumerKey ?? "", of.address.id, date);
  const published = await publishedBy(daemon, right);
  return { name: `${new Date(now).toISOString()}, tomorrow ${tomorrow}`, now, date, ...published, right };
}

/** Asks the service itself. */
async function pricesOf(url: string, key: string, addressId: string, date: string): Promise<Case["right"][string]> {
  const day = dayOf(date);
  const range = { from: day.start, to: calendar.add("day", day.start, 2) };
  const of = async (path: string): Promise<Row[]> => {
    const answer = await fetch(`${url}/consumer/v1/me/addresses/${addressId}/${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (!answer.ok) return [];
    const { data } = (await answer.json()) as { data: PriceRow[] };
    return data.map((row) => ({
      ...{ start: Date.parse(row.start), end: Date.parse(row.end) },
      ...{ price: row.totalPricePerKWh, charges: Number(row.variableChargesPerKWh) },
    }));
  };
  const query = new URLSearchParams({
    from: new Date(range.from).toISOString(),
    to: new Date(range.to).toISOString(),
    resolution: "fifteenMinutes",
  });
  return { confirmed: await of(`prices?${query}`), estimates: await of("forecast-prices") };
}

/** Waits until everything is published that the service has, and returns it. */
async function publishedBy(daemon: DaemonProcess, right: Case["right"]): Promise<Pick<Case, "entities" | "http">> {
  const [api, broker] = [await daemon.apiPort(), await daemon.brokerPort()];
  const headers = { authorization: `Bearer ${LAN_KEY}` };
  const ask = async (format: string) => {
    const answer = await fetch(`http://127.0.0.1:${api}/local/v1/formats/${format}?home=home`, { headers });
    return answer.ok ? ((await answer.json()) as unknown) : null;
  };
  const least = (right.nordpool?.confirmed.length ?? 0) / 4;
  for (let look = 0; look < LOOKS; look++) {
    const tariff = (await ask("evcc")) as readonly { end: string }[] | null;
    const topics = await retainedIn(broker, { username: "test", password: "test" });
    const entities = HOMES.map(({ id, format }) => [format, topics[`elbro/${id}/format`]] as const);
    const reached = Date.parse(tariff?.at(-1)?.end ?? "1970-01-01");
    const last = right.nordpool?.estimates.at(-1)?.end ?? 0;
    if (least > 0 && reached >= last && entities.every(([, text]) => text !== undefined)) {
      const http = await Promise.all(OVER_HTTP.map(async (format) => [format, await ask(format)] as const));
      return {
        entities: Object.fromEntries(entities.map(([format, text]) => [format, JSON.parse(text ?? "{}") as object])),
        http: Object.fromEntries(http),
      };
    }
    await pause(LOOK_MS);
  }
  throw new Error(`not everything is published:\n${daemon.output}`);
}

/** Length of a step. */
export const STEP_MS = 15 * MINUTE_MS;
