/**
 * `npm run lab -- measured`: five days of a washing machine, a car and a freezer with meters, in the whole daemon with a
 * manual clock. Prints what was planned, measured and learned each night.
 */
import { configSchema } from "../../../src/config/schema.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { command } from "../../support/plans/plan-topics.ts";
import type { BrokerFamily } from "../../support/plugs/firmware-emulators.ts";
import { MqttPlug } from "../../support/plugs/mqtt-plug.ts";

const START = Date.parse("2026-03-10T17:00:00Z");
const DAYS = 5;
const STEP_MS = 5 * MINUTE_MS;
/** Time after the start of a day at which somebody loads the machine and plugs in the car: 21:30. */
const LOADED_AFTER_MS = 3.5 * HOUR_MS;

/** An appliance behind an emulated plug. It draws power while the plug is ON and it has something to do. */
class Appliance {
  readonly plug: MqttPlug;
  readonly #powerAt: (done: number) => number;
  readonly #report: (watts: number, kwh: number, on: boolean) => readonly [topic: string, payload: object];
  /** Energy that it has used in total, and since it was started. Unit: kWh. */
  total = 100;
  done = Number.POSITIVE_INFINITY;

  constructor(
    family: BrokerFamily,
    now: () => number,
    powerAt: (done: number) => number,
    report: (watts: number, kwh: number, on: boolean) => readonly [topic: string, payload: object],
  ) {
    this.plug = new MqttPlug(family, { now, on: true });
    this.#powerAt = powerAt;
    this.#report = report;
  }

  get watts(): number {
    return this.plug.device.on ? this.#powerAt(this.done) : 0;
  }

  /** Uses power until the next step. */
  use(ms: number): void {
    const kwh = (this.watts * ms) / HOUR_MS / 1_000;
    this.total += kwh;
    this.done += kwh;
  }

  get report() {
    return this.#report(this.watts, this.total, this.plug.device.on);
  }
}

/** Course of a wash: it heats after a quarter-hour. 1.3 kWh. */
function washing(done: number): number {
  if (done < 0.05) return 200;
  if (done < 1.05) return 2_000;
  return done < 1.3 ? 200 : 0;
}

const { plans, plugs } = configSchema.parse({
  plans: [
    { name: "Washing", home: "home", kind: "window", hours: 2, from: "21:00", ready_by: "07:00", kwh: 1, learn: true },
    { name: "Car", home: "home", kind: "slots", hours: 4, from: "21:00", ready_by: "07:00", kwh: 14.8, learn: true },
    { name: "Freezer", home: "home", kind: "avoid", hours: 4, max_gap: 2 },
  ],
  plugs: [
    {
      ...{ name: "Washing plug", family: "tasmota", topic: "heater", plan: "washing" },
      ...{ starts_when: { above_w: 5 }, ends_when: { below_w: 5, for: "5m" } },
    },
    {
      ...{ name: "Car plug", family: "zigbee2mqtt", topic: "Kitchen plug", plan: "car" },
      ...{ ends_when: { below_w: 5, for: "5m" } },
    },
    { name: "Freezer plug", family: "shelly_gen2", topic: "shellyplusplugs-2", plan: "freezer" },
  ],
});

/** A plan in the answer of `GET /local/v1/plans/{plan}`: the fields that the table shows. */
interface ToldPlan {
  readonly kwh: number | null;
  readonly learned: { readonly runs: number; readonly kwh: number } | null;
  readonly runs: readonly { readonly start: string; readonly end: string }[];
  readonly history: {
    readonly runs: readonly {
      readonly start: string;
      readonly end: string;
      readonly cost: number | null;
      readonly measured: { readonly kwh: number; readonly cost: number | null } | null;
    }[];
  };
}

const timeOf = (instant: string | number) =>
  new Date(instant).toLocaleTimeString("en-GB", { timeZone: "Europe/Copenhagen", hour: "2-digit", minute: "2-digit" });
const spans = (runs: readonly { readonly start: string; readonly end: string }[]) =>
  runs.map(({ start, end }) => `${timeOf(start)}-${timeOf(end)}`).join(" ");
const rounded = (value: number | null | undefined) => (value === null || value === undefined ? "-" : value.toFixed(2));
const sum = (values: readonly (number | null | undefined)[]) =>
  values.reduce<number>((all, each) => all + (each ?? 0), 0);

await using daemon = await TestDaemon.start({
  start: START,
  simulator: { homes: ["danish"], publicationDelayMinutes: () => 0 },
  config: { plans, plugs },
});
const now = () => daemon.clock.now();
const washer = new Appliance("tasmota", now, washing, (Power, Total) => [
  "tele/heater/SENSOR",
  { ENERGY: { Power, Total } },
]);
const charging = (done: number) => (done < 9 ? 3_700 : 0);
const car = new Appliance("zigbee2mqtt", now, charging, (power, energy) => [
  "zigbee2mqtt/Kitchen plug",
  { power, energy },
]);
const freezer = new Appliance(
  ...(["shelly_gen2", now] as const),
  () => 60,
  (apower, kwh, output) => [
    "shellyplusplugs-2/status/switch:0",
    { id: 0, output, apower, aenergy: { total: kwh * 1_000 } },
  ],
);
freezer.done = 0;
const appliances = { washing: washer, car, freezer } as const;
for (const { plug } of Object.values(appliances)) await plug.connect(daemon.brokerPort);
const told = async (id: string) => (await (await daemon.request(`/local/v1/plans/${id}`)).json()) as ToldPlan;
const planned = new Map<string, string>();

for (let at = START; at <= START + DAYS * DAY_MS; at += STEP_MS) {
  await daemon.clock.runUntil(at);
  for (const { plug } of Object.values(appliances)) plug.tick();
  if ((at - START) % DAY_MS === LOADED_AFTER_MS) for (const each of [washer, car]) each.done = 0;
  await measure();
  if ((at - START) % DAY_MS === LOADED_AFTER_MS + HOUR_MS)
    for (const id of Object.keys(appliances)) planned.set(id, spans((await told(id)).runs));
  if (at > START && (at - START) % DAY_MS === 0) for (const id of Object.keys(appliances)) await printDay(id, at);
  for (const each of Object.values(appliances)) each.use(STEP_MS);
}

async function measure(): Promise<void> {
  for (const { report } of Object.values(appliances)) {
    const [topic, payload] = report;
    await daemon.watcher.publish(topic, JSON.stringify(payload));
  }
  // The daemon answers after it has read the messages before.
  await command(daemon, "hours", "many", "washing");
  await daemon.clock.settle();
  // Commands of the daemon have arrived at the plugs: a broker keeps the order of messages.
  for (let i = 0; i < 3; i++) await retainedIn(daemon.brokerPort);
}

async function printDay(id: string, at: number): Promise<void> {
  const { kwh, learned, history } = await told(id);
  const runs = history.runs.filter(({ start }) => Date.parse(start) >= at - DAY_MS).toReversed();
  const measured = runs.map((run) => run.measured);
  console.log(
    [
      `${new Date(at).toISOString().slice(0, 10)} ${id.padEnd(8)} planned at 22:30: ${planned.get(id)}`,
      `ran ${spans(runs)}`,
      `configured ${rounded(kwh)} kWh, assumed ${rounded(sum(runs.map(({ cost }) => cost)))} DKK`,
      `measured ${rounded(sum(measured.map((each) => each?.kwh)))} kWh, ${rounded(sum(measured.map((each) => each?.cost)))} DKK`,
      learned ? `learned ${rounded(learned.kwh)} kWh of ${learned.runs} nights` : "nothing learned",
    ].join("; "),
  );
}
