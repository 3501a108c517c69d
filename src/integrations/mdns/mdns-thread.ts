/** Announces the dashboard by mDNS, in a thread: the library may call `process.exit`, and writes to stdout. */
import { parentPort, workerData } from "node:worker_threads";
import ciao from "@homebridge/ciao";
import type { MdnsThreadData, MdnsThreadMessage } from "./mdns-loop.ts";

const { name, port, interfaces } = workerData as MdnsThreadData;
const send = (message: MdnsThreadMessage) => parentPort?.postMessage(message);
const responder = ciao.getResponder({ interface: [...interfaces] });
const service = responder.createService({ name, hostname: name, type: "http", port, txt: { path: "/" } });
const sendHost = () => send({ kind: "announced", host: service.getHostname().replace(/\.$/, "") });
service.on("name-change", () => undefined);
service.on("hostname-change", () => undefined);
void service.advertise().then(sendHost);
// The only message of the parent is the request to end.
parentPort?.once("message", () => void responder.shutdown().finally(() => send({ kind: "ended" })));
