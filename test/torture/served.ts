/** Runs the whole daemon in this process, with a given data directory and an unreachable service. */
import { configSchema } from "../../src/config/schema/schema.ts";
import { formatInstant } from "../../src/core/time/interval.ts";
import { ManualClock } from "../support/clock/manual-clock.ts";
import { startInProcess } from "../support/daemon/in-process-daemon.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { calendar } from "../support/storage/store-on-disk.ts";
import type { Life } from "./life.ts";

/** URL of a closed port. */
const NO_SERVICE = "http://127.0.0.1:9";

/** Returns the error in today's prices in a response to a device; null if they are right or missing. */
export async function servedPrices(dataDir: string, life: Life): Promise<string | null> {
  const now = Date.now();
  const config = configSchema.parse({
    service: { base_url: NO_SERVICE },
    consumer: { api_key: "any" },
    broker: { host: "127.0.0.1", port: 0 },
    api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }] },
    data_dir: dataDir,
  });
  const daemon = await startInProcess({ config, clock: new ManualClock(now) });
  try {
    const { start, end } = calendar.day(now);
    const path = `/consumer/v1/me/addresses/${life.addressId}/prices`;
    const query = `from=${formatInstant(start)}&to=${formatInstant(end)}&resolution=hour`;
    const response = await fetch(`http://127.0.0.1:${daemon.apiPort}${path}?${query}`, {
      headers: { authorization: `Bearer ${LAN_KEY}` },
    });
    const { data } = (await response.json()) as { data?: { start: string; totalPricePerKWh: number }[] };
    if (response.status === 500) return "the answer is a 500";
    const wrong = data?.find((row) => life.truth.hour.get(row.start) !== row.totalPricePerKWh);
    return wrong ? `served ${JSON.stringify(wrong)}` : null;
  } finally {
    await daemon.stop();
  }
}
