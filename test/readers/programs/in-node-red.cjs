/**
 * Reads prices with PowerSaver in Node-RED: the price of each minute in the schedule of its strategy "lowest price".
 * Arguments: folder in which both are installed, file with cases, form of the message. Prints for each case a list of
 * [start in ms, price], or an error. With the form `pasted` the file has flows: prints the plan of PowerSaver in them.
 */
const { readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");

const [, , folder = "", casesFile = "", form = ""] = process.argv;
const RED = require(path.join(folder, "node_modules/node-red"));

const FLOW = [
  { id: "tab", type: "tab", label: "prices" },
  { id: "receive", type: "ps-receive-price", z: "tab", wires: [["strategy"]] },
  {
    ...{ id: "strategy", type: "ps-strategy-lowest-price", z: "tab", name: "", minutesOn: "60", maxPrice: null },
    ...{ fromHour: "00", fromMinute: "00", toHour: "00", toMinute: "00", doNotSplit: "false" },
    ...{ sendCurrentValueWhenRescheduling: true, outputIfNoSchedule: "false", outputOutsidePeriod: "false" },
    wires: [[], [], ["end"]],
  },
  { id: "end", type: "debug", z: "tab", active: false, wires: [] },
];
/** Messages of the nodes that PowerSaver names: "events: state" and "current state" of Home Assistant, an HTTP request. */
const MESSAGES = {
  events: ({ entities }) => ({ data: { new_state: { attributes: entities.nordpool } } }),
  current: ({ entities }) => ({ data: { attributes: entities.nordpool } }),
  attributes: ({ entities }) => ({ payload: { attributes: entities.nordpool } }),
  http: ({ http }) => ({ payload: http.powersaver }),
};

/** Time for pasted flows to connect, ask and send. */
const PASTED_MS = 8_000;

async function main() {
  const given = JSON.parse(readFileSync(casesFile, "utf8"));
  writeFileSync(path.join(folder, "flows.json"), JSON.stringify(form === "pasted" ? given : FLOW));
  RED.init({
    ...{ httpAdminRoot: false, httpNodeRoot: false, userDir: folder, flowFile: "flows.json" },
    ...{ logging: { console: { level: "off" } }, telemetry: { enabled: false } },
    externalModules: { autoInstall: false, palette: { allowInstall: false } },
  });
  const started = new Promise((resolve) => RED.events.once("flows:started", resolve));
  await RED.start();
  await started;
  const results = [];
  if (form === "pasted") {
    await new Promise((resolve) => setTimeout(resolve, PASTED_MS));
    results.push(...(RED.nodes.getNode("elbro-saver-strategy")?.context().get("lastPlan").minutes ?? []));
  } else for (const each of given) results.push(await read(MESSAGES[form](each)));
  process.stdout.write(JSON.stringify(results), () => process.exit(0));
}

/** Sends a message and returns the steps of the plan that is made of it, or that none is made. */
async function read(message) {
  const isPlanned = new Promise((resolve) => {
    RED.hooks.remove("onSend.lab");
    RED.hooks.add("onSend.lab", (events) => {
      if (events.some(({ source }) => source.id === "strategy" && source.port === 2)) resolve(true);
    });
    setTimeout(() => resolve(false), 5_000);
  });
  RED.nodes.getNode("receive").receive(message);
  if (!(await isPlanned)) return "no plan";
  const { minutes } = RED.nodes.getNode("strategy").context().get("lastPlan");
  return minutes.map(({ start, price }) => [Date.parse(start), price]).filter(([at]) => at % (15 * 60_000) === 0);
}

main();
