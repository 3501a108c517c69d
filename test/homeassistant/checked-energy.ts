/** Home Assistant's Energy preferences with elbro's entities. */
import { HOUR_MS } from "../../src/core/time/interval.ts";
import type { Seen } from "./checked-facts.ts";
import type { Checks } from "./checks.ts";
import { announcedComponents, shownEntities } from "./entities.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import { until } from "./until.ts";

const METER = "sensor.test_meter";
const VALID_WITHIN_MS = 15_000;

/** Issues that Home Assistant reports, per source. */
type Validation = Readonly<Record<string, readonly (readonly { readonly type: string }[])[]>>;

/** Checks elbro's price together with a live meter, and its enabled entities of energy that have long-term statistics. */
export async function checkEnergy(checks: Checks, { home, house }: Seen): Promise<void> {
  await checks.check("the Energy preferences accept a meter with elbro's price, and elbro's consumption", async () => {
    const shown = await shownEntities(home);
    const price = shown.get("elbro_home-price")?.entityId;
    const consumption = announcedComponents(house.topics).flatMap(({ unique_id, device_class, state_class }) => {
      const entity = shown.get(unique_id);
      const counts = device_class === "energy" && state_class !== undefined && unique_id.startsWith("elbro_home-");
      return counts && entity && entity.state !== "disabled" ? [entity.entityId] : [];
    });
    await home.show(METER, "12.5", {
      device_class: "energy",
      state_class: "total_increasing",
      unit_of_measurement: "kWh",
    });
    for (const id of [METER, ...consumption]) await startStatistics(home, id);
    await home.socket.ask({
      type: "energy/save_prefs",
      energy_sources: [{ type: "grid", stat_energy_from: METER, entity_energy_price: price, cost_adjustment_day: 0 }],
      device_consumption: consumption.map((stat_consumption) => ({ stat_consumption })),
    });
    await until("no objection", VALID_WITHIN_MS, async () => {
      const validation = await home.socket.ask<Validation>({ type: "energy/validate" });
      const issues = Object.values(validation).flat(2);
      if (issues.length > 0) throw new Error(JSON.stringify(issues));
      return true;
    });
    return `energy/validate has no issue with ${[price, ...consumption].join(", ")}`;
  });
}

/** Imports the first long-term statistic of an entity, which Home Assistant itself would make within 5 min. */
async function startStatistics(home: HomeAssistant, id: string): Promise<void> {
  const start = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS).toISOString();
  await home.socket.ask({
    type: "recorder/import_statistics",
    metadata: {
      ...{ has_sum: true, mean_type: 0, name: null, source: "recorder", statistic_id: id },
      ...{ unit_class: "energy", unit_of_measurement: "kWh" },
    },
    stats: [{ start, state: 0, sum: 0 }],
  });
}
