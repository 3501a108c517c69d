/** Checks devices, settings, refused commands and removed devices in Home Assistant. */
import { deviceId } from "../../src/mqtt/homeassistant/device-id.ts";
import type { Checks } from "./checks.ts";
import { shownEntities } from "./entities.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import { DASHBOARD_URL, PLAN, type PlayedHouse } from "./played-house.ts";
import { until } from "./until.ts";

const SHOWN_WITHIN_MS = 15_000;
/** elbro responds to a birth message within 1.5 s, then checks retained messages for up to 2 s. */
const AFTER_BIRTH_MS = 6_000;
const PLAN_ID = deviceId("elbro", `${PLAN.home}_plan_${PLAN.id}`);

type House = { readonly home: HomeAssistant; readonly house: PlayedHouse };

interface RegistryDevice {
  readonly id: string;
  readonly identifiers: readonly (readonly [domain: string, id: string])[];
  readonly via_device_id: string | null;
  readonly configuration_url: string | null;
}

export async function checkDevices(checks: Checks, { home, house }: House): Promise<void> {
  await checks.check("a plan's device belongs to its home, other devices to the daemon; all have its URL", async () => {
    const devices = await ourDevices(home);
    const belongs = (id: string) => devices.get(devices.get(id)?.via_device_id ?? "") ?? null;
    const wrong = [...devices].flatMap(([id, device]) => {
      if (id === device.id) return [];
      // A plug with the name of its plan is part of that device.
      const plan = device.identifiers.find(([, each]) => each.includes("_plan_"))?.[1];
      const expected = id === "elbro" ? null : (plan?.slice(0, plan.indexOf("_plan_")) ?? "elbro");
      const found = identifierOf(belongs(id));
      const { configuration_url: link } = device;
      return found === expected && link === DASHBOARD_URL ? [] : [`${id} belongs to ${found} and links to ${link}`];
    });
    if (wrong.length > 0) throw new Error(wrong.join(", "));
    return `${devices.size / 2} devices`;
  });
  await checks.check("the entity of the last refused command shows its reason", async () => {
    const command = `${PLAN.topic}/hours/set`;
    await home.rest("POST", "/api/services/mqtt/publish", { topic: command, payload: "30" });
    const { value } = await until("the refusal", SHOWN_WITHIN_MS, async () => {
      const { state, attributes } = await shownRefusal(home);
      const isShown = attributes.command === command && attributes.reason && Date.parse(state) > 0;
      if (!isShown) throw new Error(`${state} ${JSON.stringify(attributes)}`);
      return { attributes };
    });
    return String(value.attributes.reason);
  });
  await checks.check("Reset settings restores a plan's settings from the configuration", async () => {
    const changed = () => {
      const { settings } = house.topics.json(`${PLAN.topic}/state`) as {
        settings?: Record<string, { changed: boolean }>;
      };
      return Object.values(settings ?? {}).filter((setting) => setting.changed).length;
    };
    const hours = await entityId(home, `${PLAN_ID}-hours`);
    await home.act("number.set_value", hours, { value: 1.25 });
    await until("the change", SHOWN_WITHIN_MS, () => (changed() > 0 ? true : undefined));
    await home.act("button.press", await entityId(home, `${PLAN_ID}-reset_settings`));
    await until("the reset", SHOWN_WITHIN_MS, async () =>
      changed() === 0 && (await home.state(hours)).state !== "1.25" ? true : undefined,
    );
    return undefined;
  });
}

/**
 * Checks birth messages after a device was removed. Home Assistant logs a warning if a device is removed a second time.
 */
export async function checkBirths(checks: Checks, { home, house }: House): Promise<void> {
  await checks.check("a birth message after a removal causes no warning", async () => {
    const before = home.complaints().length;
    const started = performance.now();
    await home.rest("POST", "/api/services/mqtt/publish", { topic: "homeassistant/status", payload: "online" });
    await until("the answer to a birth", AFTER_BIRTH_MS * 2, () =>
      performance.now() - started > AFTER_BIRTH_MS && house.topics.payload(PLAN.topic) !== undefined ? true : undefined,
    );
    const complaints = home.complaints().slice(before);
    if (complaints.length > 0) throw new Error(complaints.map(({ text }) => text).join(", "));
    return undefined;
  });
}

/** Returns elbro's devices, by identifier and by registry id. */
async function ourDevices(home: HomeAssistant): Promise<Map<string, RegistryDevice>> {
  const all = await home.socket.ask<RegistryDevice[]>({ type: "config/device_registry/list" });
  const ours = all.filter((device) => identifierOf(device) !== null);
  return new Map(
    ours.flatMap((device) => [[identifierOf(device) ?? "", device] as const, [device.id, device] as const]),
  );
}

function identifierOf(device: RegistryDevice | null): string | null {
  return device?.identifiers.find(([domain]) => domain === "mqtt")?.[1] ?? null;
}

async function shownRefusal(home: HomeAssistant) {
  return home.state(await entityId(home, "elbro-refused_command"));
}

async function entityId(home: HomeAssistant, uniqueId: string): Promise<string> {
  const entity = (await shownEntities(home)).get(uniqueId);
  if (!entity) throw new Error(`${uniqueId} is not in Home Assistant`);
  return entity.entityId;
}
