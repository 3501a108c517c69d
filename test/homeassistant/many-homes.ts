/** `--homes 50`: checks every entity of many homes on the embedded broker, before and after a restart of elbro. */
import { readFileSync } from "node:fs";
import { homeRows } from "../../src/mqtt/homeassistant/home-entities.ts";
import { demoHomes, homeOfAccount } from "../../src/simulator/homes.ts";
import { freePort } from "../support/broker/mosquitto.ts";
import type { DaemonProcess } from "../support/processes/daemon-process.ts";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import { MALLOC_SETTINGS, nodeFlags } from "../support/processes/node-flags.ts";
import { allAre, SHOWN_WITHIN_MS } from "./checked-facts.ts";
import type { Checks } from "./checks.ts";
import { announcedComponents, differences, shownEntities } from "./entities.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import { type Broker, connectMqtt, type Protocol } from "./mqtt-integration.ts";
import { RetainedTopics } from "./retained-topics.ts";
import { until } from "./until.ts";

const LOGIN = { username: "homeassistant", password: "password-of-a-test" };
/** Accounts spread their first requests over 8 minutes, and each keeps within its quota of a minute. */
const COLLECTED_WITHIN_MS = 1_200_000;
/** Home Assistant subscribes to the topics of 3,600 entities in turns. */
const READ_WITHIN_MS = 300_000;
const PLAN = { name: "Dishwasher", kind: "window", hours: 2, from: "19:00", ready_by: "06:30" };
const IS_OF_HOME = /^elbro_home_\d+-/;

/** Runs the checks with `homes` accounts of one home each. */
export async function checkManyHomes(checks: Checks, home: HomeAssistant, homes: number): Promise<void> {
  await using installed = await InstalledDaemon.prepare({ simulator: { accounts: homes, homes: ["danish"] } });
  const broker = { port: await freePort(), ...LOGIN };
  configure(installed, broker, homes);
  const launch = () => installed.launch({ ...MALLOC_SETTINGS }, { nodeArgs: nodeFlags(homes) });
  let daemon = await launch();
  await using topics = new RetainedTopics(broker);
  const protocol: Protocol = "5";
  const refusal = await connectMqtt(home, broker, protocol);
  if (refusal !== null) throw new Error(`MQTT ${protocol} is refused: ${refusal}`);
  const expected = homes * homeRows.length;
  await checks.check(`Home Assistant has the ${expected} entities of ${homes} homes`, async () => {
    const { seconds } = await until("all entities", COLLECTED_WITHIN_MS, async () => {
      const found = [...(await shownEntities(home)).keys()].filter((id) => IS_OF_HOME.test(id)).length;
      if (found !== expected) throw new Error(`${found} entities`);
      return true;
    });
    return `after ${seconds.toFixed(1)} s, elbro has ${memoryMb(daemon)} MB`;
  });
  await checkShown(checks, home, topics);
  await checks.check("after a restart of elbro every entity is available", async () => {
    await daemon.end("SIGTERM");
    await until("all unavailable", SHOWN_WITHIN_MS, () => allAre(home, "unavailable"));
    daemon = await launch();
    const { seconds, value } = await until("all available", READ_WITHIN_MS, () => allAre(home, "available"));
    return `${value} enabled entities after ${seconds.toFixed(1)} s, elbro has ${memoryMb(daemon)} MB`;
  });
  await checkShown(checks, home, topics);
  await daemon.end("SIGTERM");
}

async function checkShown(checks: Checks, home: HomeAssistant, topics: RetainedTopics): Promise<void> {
  await checks.check("every entity shows the published value", async () => {
    const { value } = await until("same values", READ_WITHIN_MS, async () => {
      const components = announcedComponents(topics);
      const wrong = differences(components, await shownEntities(home), topics);
      if (wrong.length > 0) throw new Error(`${wrong.length}: ${wrong.slice(0, 3).join("; ")}`);
      return components.length;
    });
    return `${value} entities`;
  });
}

function configure(installed: InstalledDaemon, { port, username, password }: Broker, homes: number): void {
  const { keys } = installed.simulator;
  const numbers = Array.from({ length: homes }, (_, i) => i + 1);
  installed.configure({
    consumer: numbers.map((number) => ({
      name: `account_${number}`,
      api_key: number === 1 ? keys.consumerKey : `${keys.consumerKey}-${number}`,
    })),
    homes: numbers.map((number) => ({ address_id: addressId(number), id: `home_${number}` })),
    plans: numbers.map((number) => ({ ...PLAN, id: `dishwasher_${number}`, home: `home_${number}` })),
    broker: { host: "127.0.0.1", port, users: [{ name: username, password, commands: true }] },
  });
}

/** Returns the id of the address of an account of the simulator. */
function addressId(number: number): string {
  const { danish } = demoHomes;
  return (number === 1 ? danish : homeOfAccount(danish, number)).address.id;
}

function memoryMb({ pid }: DaemonProcess): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024);
}
