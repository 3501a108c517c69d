/**
 * `npm run lab -- homeassistant`: tests the built program with a real Home Assistant.
 *
 * - `-- --newest` uses the newest Home Assistant instead of the pinned one.
 * - `-- --protocol 3.1.1` uses that version of MQTT. By default, 5 is tried first.
 * - `-- --broker mosquitto` uses Mosquitto instead of the embedded broker.
 * - `-- --silence` also suspends elbro until its entities become unavailable, which takes some minutes.
 * - `-- --install-within 240` limits the installation to 240 s.
 *
 * Exit code: 0 if all checks pass, 1 if one fails, 75 if Home Assistant cannot be installed. Home Assistant's log and
 * entities are written to `build/homeassistant`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { checkBlueprintRestarts, checkBlueprints } from "./checked-blueprints.ts";
import { checkBirths, checkDevices } from "./checked-devices.ts";
import { checkEnergy } from "./checked-energy.ts";
import {
  checkAvailability,
  checkCommands,
  checkEntities,
  checkLog,
  checkRemoval,
  checkSilence,
} from "./checked-facts.ts";
import { checkNeighbours } from "./checked-neighbours.ts";
import { checkRenaming } from "./checked-renaming.ts";
import { checkRoles } from "./checked-roles.ts";
import { Checks } from "./checks.ts";
import { shownEntities } from "./entities.ts";
import { HomeAssistant } from "./home-assistant.ts";
import { type Installation, install } from "./install.ts";
import { CannotInstall, type Machine, prepareMachine } from "./machine.ts";
import { type Broker, connectMqtt, type Protocol } from "./mqtt-integration.ts";
import { type BrokerKind, PlayedHouse } from "./played-house.ts";
import { checkStatistics } from "./statistics.ts";
import { checkSwitches } from "./switches.ts";

/** Exit code if nothing was tested (EX_TEMPFAIL of sysexits.h). */
const NOT_TESTED = 75;
const FOLDER = path.resolve(import.meta.dirname, "../../build/homeassistant");
const PROTOCOLS: readonly Protocol[] = ["5", "3.1.1"];
const BROKERS = ["embedded", "mosquitto"] as const satisfies readonly BrokerKind[];

const { newest, protocol, broker, silence, installWithinMs } = optionsIn(process.argv.slice(2));
try {
  const machine = await timed("Python", () => prepareMachine(installWithinMs));
  const installation = await timed("Home Assistant installed", () => install(machine, { newest }));
  process.exitCode = await test(machine, installation, protocol === undefined ? PROTOCOLS : [protocol]);
} catch (error) {
  if (!(error instanceof CannotInstall)) throw error;
  console.log(`homeassistant: not tested: ${error.message}`);
  process.exitCode = NOT_TESTED;
}

/** Runs all checks. Returns the exit code. */
async function test(machine: Machine, installation: Installation, protocols: readonly Protocol[]): Promise<number> {
  const checks = new Checks();
  await using house = await timed("elbro started", () => PlayedHouse.start(broker));
  await using home = await timed("Home Assistant started", () => HomeAssistant.start(machine, installation));
  const used = await connected(home, house.broker, protocols);
  let entities = 0;
  if (used !== null) {
    const seen = { home, house, protocol: used };
    entities = await checkEntities(checks, seen);
    await checkCommands(checks, seen);
    await checkEnergy(checks, seen);
    const blueprints = await checkBlueprints(checks, seen);
    await checkDevices(checks, seen);
    await checkLog(checks, seen, { brokerEnded: false });
    await checkBlueprintRestarts(checks, seen, blueprints);
    await checkAvailability(checks, seen);
    if (silence) await checkSilence(checks, seen);
    await checkRemoval(checks, seen);
    await checkRenaming(checks, seen);
    await checkBirths(checks, seen);
    await checkStatistics(checks, home);
    await checkSwitches(checks, home);
    await checkRoles(checks, seen);
    await checkLog(checks, seen, { brokerEnded: true });
    await checkNeighbours(checks, home, house.broker);
  }
  await keepFindings(home);
  const { passed, failed } = checks;
  const versions = `version=${installation.version} python=${machine.pythonVersion} broker=${broker} protocol=${used ?? "none"}`;
  console.log(`homeassistant: ${versions} entities=${entities} passed=${passed} failed=${failed}`);
  return used !== null && failed === 0 ? 0 : 1;
}

/** Writes Home Assistant's log, and each entity with its ids and state, to files. */
async function keepFindings(home: HomeAssistant): Promise<void> {
  const entities = [...(await shownEntities(home)).values()];
  const lines = entities.map(({ entityId, uniqueId, state }) => [entityId, uniqueId, state].join("\t")).sort();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, "home-assistant.log"), `${home.log.join("\n")}\n`);
  writeFileSync(path.join(FOLDER, "entities.tsv"), `${lines.join("\n")}\n`);
}

/** Connects Home Assistant. Returns the first protocol that works; null if none does. */
async function connected(
  home: HomeAssistant,
  broker: Broker,
  protocols: readonly Protocol[],
): Promise<Protocol | null> {
  for (const each of protocols) {
    const refusal = await timed(`MQTT ${each}`, () => connectMqtt(home, broker, each));
    if (refusal === null) return each;
    console.log(`       MQTT ${each} is refused: ${refusal}`);
  }
  return null;
}

async function timed<T>(what: string, run: () => T | Promise<T>): Promise<T> {
  const began = performance.now();
  const value = await run();
  console.log(`       ${what} (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
  return value;
}

interface Options {
  readonly newest: boolean;
  readonly protocol: Protocol | undefined;
  readonly broker: BrokerKind;
  readonly silence: boolean;
  readonly installWithinMs: number;
}

function optionsIn(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      newest: { type: "boolean", default: false },
      protocol: { type: "string" },
      broker: { type: "string", default: BROKERS[0] },
      silence: { type: "boolean", default: false },
      "install-within": { type: "string", default: "Infinity" },
    },
  });
  const protocol = PROTOCOLS.find((each) => each === values.protocol);
  const broker = BROKERS.find((each) => each === values.broker);
  if (values.protocol !== undefined && !protocol) throw new Error(`--protocol is one of ${PROTOCOLS.join(", ")}`);
  if (!broker) throw new Error(`--broker is one of ${BROKERS.join(", ")}`);
  const installWithinMs = 1_000 * Number(values["install-within"]);
  const { newest, silence } = values;
  return { newest, protocol, broker, silence, installWithinMs };
}
