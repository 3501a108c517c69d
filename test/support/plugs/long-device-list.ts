/** A long list of Zigbee2MQTT's devices, made of recorded ones. */
import { neighbours } from "../broker/neighbours.ts";

type Device = Readonly<Record<string, unknown>> & { readonly definition: { readonly exposes: readonly object[] } };

/** Returns `bridge/devices` of `count` plugs, whose exposes repeat until the text has `bytes` characters. */
export function longDeviceList(count: number, bytes: number): string {
  const messages = neighbours.find(({ name }) => name === "Zigbee2MQTT")?.messages ?? [];
  const recorded = messages.find(({ topic }) => topic === "zigbee2mqtt/bridge/devices")?.payload ?? "[]";
  const [plug] = (JSON.parse(recorded) as Device[]).filter(({ type }) => type === "Router");
  const { exposes = [] } = plug?.definition ?? {};
  const times = Math.ceil(bytes / count / JSON.stringify(exposes).length);
  const definition = { ...plug?.definition, exposes: Array.from({ length: times }, () => exposes).flat() };
  const devices = Array.from({ length: count }, (_, i) => ({ ...plug, friendly_name: `Room ${i}/plug`, definition }));
  return JSON.stringify(devices);
}
