/**
 * Checks that other programs and devices reach Home Assistant through the same broker, in both directions: the real
 * Zigbee2MQTT with a played adapter, and the messages of Tasmota and ESPHome.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { neighbours, played } from "../support/broker/neighbours.ts";
import type { Checks } from "./checks.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import type { Broker } from "./mqtt-integration.ts";
import { until } from "./until.ts";

/** The real program is started instead of its recorded messages. */
const REAL = "Zigbee2MQTT";
const FOLDER = path.resolve(import.meta.dirname, "../../build/homeassistant/zigbee2mqtt");
const PROGRAM = path.resolve(import.meta.dirname, "../support/plugs/played-zigbee2mqtt-process.ts");
const VERSION = "2.14.1";
const INSTALL_MS = 120_000;
const WITHIN_MS = 60_000;
/** The switches in Home Assistant, by program. */
const SWITCHES = {
  Zigbee2MQTT: "switch.kitchen_plug",
  Tasmota: "switch.washer",
  ESPHome: "switch.bathroom_floor_relay",
};

export async function checkNeighbours(checks: Checks, home: HomeAssistant, broker: Broker): Promise<void> {
  for (const neighbour of neighbours)
    await checks.check(`${neighbour.name} reaches Home Assistant, which switches it`, async () => {
      const isReal = neighbour.name === REAL && (await hasZigbee2mqtt());
      await using _ = isReal ? await startZigbee2mqtt(broker) : await played(neighbour, broker);
      if (neighbour.name === "Tasmota") await addTasmota(home);
      const entity = SWITCHES[neighbour.name as keyof typeof SWITCHES];
      const is = (state: string) =>
        until(`${entity} is ${state}`, WITHIN_MS, async () => {
          const { state: found } = await home.state(entity);
          if (found !== state) throw new Error(found);
          return true;
        });
      // Zigbee2MQTT publishes no state before its first command.
      await is(neighbour.name === REAL ? "unknown" : "off");
      await home.act("switch.turn_on", entity);
      await is("on");
      const sensors = (await home.states()).filter(({ entity_id: id }) =>
        id.startsWith(`sensor.${entity.split(".")[1]}_`),
      );
      const how = neighbour.name === REAL && !isReal ? ", by its recorded messages: npm cannot install it here" : "";
      return `${entity} with ${sensors.length} sensors${how}`;
    });
}

/** Adds Home Assistant's integration of Tasmota, which shows the devices that announced themselves. */
async function addTasmota(home: HomeAssistant): Promise<void> {
  const flows = "/api/config/config_entries/flow";
  const { flow_id: id } = await home.rest<{ flow_id: string }>("POST", flows, { handler: "tasmota" });
  await home.rest("POST", `${flows}/${id}`, {});
}

async function startZigbee2mqtt({ port, username, password }: Broker): Promise<AsyncDisposable> {
  const data = mkdtempSync(path.join(tmpdir(), "zigbee2mqtt-"));
  const args = [PROGRAM, FOLDER, data, String(port), username, password];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/**
 * Installs the program once, and resolves to whether it is there. Home Assistant's connection goes on meanwhile. Its native parts are drivers of serial ports, which the
 * played adapter does not need.
 */
async function hasZigbee2mqtt(): Promise<boolean> {
  const program = path.join(FOLDER, "node_modules/zigbee2mqtt/index.js");
  if (existsSync(program)) return true;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, "package.json"), '{"private":true}');
  const options = [
    "--ignore-scripts",
    "--omit=dev",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const limits = { cwd: FOLDER, timeout: INSTALL_MS };
  const npm = promisify(execFile)("npm", ["install", ...options, `zigbee2mqtt@${VERSION}`], limits);
  const isInstalled = await npm.then(
    () => true,
    () => false,
  );
  // npm may have been ended in the middle.
  if (!isInstalled) rmSync(path.join(FOLDER, "node_modules"), { recursive: true, force: true });
  return isInstalled;
}
