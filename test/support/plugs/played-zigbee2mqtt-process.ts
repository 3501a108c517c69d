/**
 * Runs the real Zigbee2MQTT with two plugs and an adapter that plays them. Arguments: the folder of the installation,
 * a folder for its data, and port, user and password of the broker.
 *
 * Source of what an adapter does: zigbee-herdsman 10.9, adapter/adapter.d.ts.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** The parts of a Zigbee frame that the plugs use. */
interface Frame {
  readonly cluster: { readonly ID: number; readonly name: string };
  readonly command: { readonly ID: number; readonly name: string };
  readonly header: { readonly transactionSequenceNumber: number };
  readonly payload: readonly { readonly attrId: number }[];
  readonly toBuffer: () => Buffer;
}
interface Zcl {
  readonly FrameType: { readonly GLOBAL: number };
  readonly Direction: { readonly SERVER_TO_CLIENT: number };
  readonly Frame: { readonly create: (...parts: readonly unknown[]) => Frame };
}
type Emitter = { readonly emit: (event: string, payload: object) => void };
type MakeAdapter = (...options: readonly unknown[]) => Promise<object>;

const [folder = "", data = "", port = "", user = "", password = ""] = process.argv.slice(2);
const load = createRequire(path.join(folder, "package.json"));
const COORDINATOR = "0x00124b0000000001";
const PLUGS = [
  {
    ieee: "0x60b647fffe000001",
    nwk: 1001,
    model: "TS011F",
    vendor: "_TZ3000_2putqrmw",
    id: 4417,
    name: "Kitchen plug",
  },
  {
    ieee: "0x60b647fffe000002",
    nwk: 1002,
    model: "TRADFRI control outlet",
    vendor: "IKEA of Sweden",
    id: 4476,
    name: "Cellar/fan",
  },
] as const;
const BOOLEAN = 0x10;
const BYTE = 0x20;
const UNSUPPORTED_ATTRIBUTE = 0x86;
const SWITCHING = { off: () => 0, on: () => 1, onWithTimedOff: () => 1, toggle: (on: number) => 1 - on } as const;
/** Delay of a report after its command. */
const REPORT_MS = 20;

writeSettings();
process.env.ZIGBEE2MQTT_DATA = data;
const { Adapter } = load("zigbee-herdsman/dist/adapter/adapter.js") as {
  Adapter: { create: MakeAdapter; new (...options: readonly unknown[]): Emitter };
};
const zcl = load("zigbee-herdsman/dist/zspec/zcl") as Zcl;
Adapter.create = async (...options) => playedBy(new Adapter(...options));
(load("zigbee2mqtt/dist/util/settings.js") as { reRead: () => void }).reRead();
(load("zigbee2mqtt/dist/util/logger.js") as { default: { init: () => void } }).default.init();
const { Controller } = load("zigbee2mqtt/dist/controller.js") as {
  Controller: new (
    restart: () => Promise<void>,
    exit: (code: number) => Promise<void>,
  ) => { readonly start: () => Promise<void>; readonly stop: () => Promise<void> };
};
const controller = new Controller(
  async () => undefined,
  async (code) => process.exit(code),
);
process.on("SIGTERM", () => void controller.stop());
await controller.start();

/** Writes the configuration, and the database with two plugs that have joined before. */
function writeSettings(): void {
  const configuration = {
    version: 4,
    homeassistant: { enabled: true },
    frontend: { enabled: false },
    availability: { enabled: true },
    mqtt: { base_topic: "zigbee2mqtt", server: `mqtt://127.0.0.1:${port}`, user, password, version: 5 },
    serial: { port: "/dev/null", adapter: "zstack" },
    advanced: { log_output: ["console"], log_level: "warning", pan_id: 6754, channel: 11 },
    devices: Object.fromEntries(PLUGS.map(({ ieee, name }) => [ieee, { friendly_name: name }])),
  };
  // Every JSON text is also YAML.
  writeFileSync(path.join(data, "configuration.yaml"), JSON.stringify(configuration));
  const node = (type: string, ieeeAddr: string, nwkAddr: number, facts: object) => {
    const clusters = type === "Router" ? [0, 3, 4, 5, 6, 1794, 2820] : [];
    const endpoint = { profId: 260, epId: 1, devId: 81, inClusterList: clusters, outClusterList: [], clusters: {} };
    return {
      ...{
        type,
        ieeeAddr,
        nwkAddr,
        ...facts,
        lastSeen: Date.now(),
        epList: [1],
        interviewCompleted: true,
        interviewState: "SUCCESSFUL",
      },
      ...{ endpoints: { 1: { ...endpoint, binds: [], configuredReportings: [], meta: {} } }, meta: {} },
    };
  };
  const plugs = PLUGS.map(({ ieee, nwk, model, vendor, id }) =>
    node("Router", ieee, nwk, { modelId: model, manufName: vendor, manufId: id, powerSource: "Mains (single phase)" }),
  );
  const nodes = [node("Coordinator", COORDINATOR, 0, { manufId: 0 }), ...plugs];
  const lines = nodes.map((each, i) => JSON.stringify({ id: i + 1, ...each }));
  writeFileSync(path.join(data, "database.db"), lines.join("\n"));
}

/** Adds what an adapter does to an empty one. Its plugs obey, answer, and report changes. */
function playedBy(adapter: Emitter): object {
  const states = new Map<number, number>(PLUGS.map(({ nwk }) => [nwk, 0]));
  const from = (address: number, frame: Frame) => ({
    ...{ clusterID: frame.cluster.ID, address, header: frame.header, data: frame.toBuffer(), endpoint: 1 },
    ...{ linkquality: 120, groupID: 0, wasBroadcast: false, destinationEndpoint: 1 },
  });
  const answer = (address: number, asked: Frame, command: string, payload: object, later = 0) => {
    const number = asked.header.transactionSequenceNumber + later;
    const { GLOBAL } = zcl.FrameType;
    const direction = zcl.Direction.SERVER_TO_CLIENT;
    return from(
      address,
      zcl.Frame.create(GLOBAL, direction, true, undefined, number, command, asked.cluster.name, payload, {}),
    );
  };
  const attribute = (address: number, cluster: string, attrId: number) => {
    if (attrId !== 0) return { attrId, status: UNSUPPORTED_ATTRIBUTE };
    if (cluster === "genOnOff") return { attrId, status: 0, dataType: BOOLEAN, attrData: states.get(address) ?? 0 };
    if (cluster === "genBasic") return { attrId, status: 0, dataType: BYTE, attrData: 3 };
    return { attrId, status: UNSUPPORTED_ATTRIBUTE };
  };
  const obey = (_ieee: string, address: number, _endpoint: number, frame: Frame) => {
    const { name } = frame.command;
    if (name === "read") {
      const attributes = frame.payload.map(({ attrId }) => attribute(address, frame.cluster.name, attrId));
      const read = answer(address, frame, "readRsp", attributes);
      adapter.emit("zclPayload", read);
      return read;
    }
    if (name === "configReport") return answer(address, frame, "configReportRsp", [{ status: 0 }]);
    if (frame.cluster.name === "genOnOff" && Object.hasOwn(SWITCHING, name)) {
      const before = states.get(address) ?? 0;
      const attrData = SWITCHING[name as keyof typeof SWITCHING](before);
      states.set(address, attrData);
      const report = answer(address, frame, "report", [{ attrId: 0, dataType: BOOLEAN, attrData }], 1);
      if (attrData !== before) setTimeout(() => adapter.emit("zclPayload", report), REPORT_MS);
    }
    return answer(address, frame, "defaultRsp", { cmdId: frame.command.ID, statusCode: 0 });
  };
  const nothing = async () => undefined;
  return Object.assign(adapter, {
    ...{ stop: nothing, reset: nothing, permitJoin: nothing, sendZclFrameToGroup: nothing, sendZclFrameToAll: nothing },
    start: async () => "resumed",
    getCoordinatorIEEE: async () => COORDINATOR,
    getCoordinatorVersion: async () => ({ type: "zStack3x0", meta: { revision: 20_250_321 } }),
    getNetworkParameters: async () => ({
      panID: 6754,
      extendedPanID: "0xdddddddddddddddd",
      channel: 11,
      nwkUpdateID: 0,
    }),
    supportsBackup: async () => false,
    waitFor: () => ({ promise: Promise.withResolvers<never>().promise, cancel: () => undefined }),
    sendZdo: async () => [0, {}],
    sendZclFrameToEndpoint: async (...sent: Parameters<typeof obey>) => obey(...sent),
  });
}
