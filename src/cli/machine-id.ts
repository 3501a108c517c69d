/** Tells this machine and container from others, also from one whose memory card is a copy. */
import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Of the system, and of the board of a Raspberry Pi. Source: machine-id(5). */
const FILES = ["/etc/machine-id", "/proc/device-tree/serial-number"];

export function machineId(): string {
  const ids = FILES.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : ""));
  return [hostname(), ...ids].join("\n");
}
