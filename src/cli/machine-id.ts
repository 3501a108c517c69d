/** Returns an id of this machine or container. A machine with a copy of its memory card has another id. */
import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Files with the id of the system, and of the board of a Raspberry Pi. Source: machine-id(5). */
const FILES = ["/etc/machine-id", "/proc/device-tree/serial-number"];

export function machineId(): string {
  const ids = FILES.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : ""));
  return [hostname(), ...ids].join("\n");
}
