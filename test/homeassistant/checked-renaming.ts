/** Checks the entities of homes and plans that are renamed in the configuration. */
import { BACK_WITHIN_MS, type Seen, whenSame } from "./checked-facts.ts";
import type { Checks } from "./checks.ts";
import { shownEntities } from "./entities.ts";
import type { HouseSetup } from "./played-house.ts";
import { until } from "./until.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly manufacturer: string | null;
  readonly identifiers: readonly (readonly [string, string])[];
}

/** Configuration with new names, without the plug. */
const RENAMED: Partial<HouseSetup> = { plug: false, carName: "Electric car", vanName: "Bus", secondHome: "torp" };
/** Changed unique ids: those of renamed items without a configured id, and of a home with another id. */
const CHANGED: readonly (readonly [before: RegExp, after: string])[] = [
  [/^elbro_home_plan_van-/, "elbro_home_plan_bus-"],
  [/^elbro_stugan-/, "elbro_torp-"],
];

export async function checkRenaming(checks: Checks, seen: Seen): Promise<void> {
  const { home, house } = seen;
  await checks.check(
    "a renamed plan with a configured id keeps its entities; other renamed items get new ones",
    async () => {
      const before = [...(await shownEntities(home)).values()].filter(({ uniqueId }) => !isOfDaemon(uniqueId));
      const wanted = new Map(before.map(({ uniqueId, entityId }) => [afterRenaming(uniqueId), { uniqueId, entityId }]));
      await house.end("SIGTERM");
      await house.up(RENAMED);
      const { seconds } = await until("renamed", BACK_WITHIN_MS, async () => {
        const shown = await shownEntities(home);
        const missing = [...wanted.keys()].filter((id) => !shown.has(id));
        const orphans = [...shown.keys()].filter((id) => !isOfDaemon(id) && !wanted.has(id));
        if (missing.length + orphans.length > 0)
          throw new Error(`missing ${missing.join(", ") || "none"}; orphans ${orphans.join(", ") || "none"}`);
        return true;
      });
      const shown = await shownEntities(home);
      for (const [id, { uniqueId, entityId }] of wanted)
        if (id === uniqueId && shown.get(id)?.entityId !== entityId)
          throw new Error(`${entityId} became ${shown.get(id)?.entityId}`);
      await whenSame(seen);
      return `after ${seconds.toFixed(1)} s`;
    },
  );
  await checks.check("no device without entities is left, and the renamed plan has its new name", async () => {
    const devices = (await home.socket.ask<Device[]>({ type: "config/device_registry/list" })).filter(
      ({ manufacturer }) => manufacturer === "elbro",
    );
    const entities = await home.socket.ask<{ device_id: string | null }[]>({ type: "config/entity_registry/list" });
    const empty = devices.filter(({ id }) => !entities.some(({ device_id }) => device_id === id));
    if (empty.length > 0) throw new Error(empty.map(({ name }) => name).join(", "));
    const car = devices.find(({ identifiers }) => identifiers.some(([, id]) => id === "elbro_home_plan_car"));
    if (car?.name !== RENAMED.carName) throw new Error(`the plan is called ${car?.name}`);
    return devices.map(({ name }) => name).join(", ");
  });
}

/** Returns whether an entity belongs to the daemon, whose entities of series change with the homes. */
function isOfDaemon(uniqueId: string): boolean {
  return uniqueId.startsWith("elbro-");
}

function afterRenaming(uniqueId: string): string {
  return CHANGED.reduce((id, [before, after]) => id.replace(before, after), uniqueId);
}
