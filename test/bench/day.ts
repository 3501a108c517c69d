/**
 * A day of ten homes in 10 s, each with one plan, on the embedded broker: processor time, memory at its end, and size.
 * The first day fetches the history and does not count. It is short enough for each change: `--against COMMIT day`.
 */
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { buildProgram, cpuSeconds, memoryMb, PROGRAM, packageKb } from "../support/bench/program.ts";
import { MALLOC_SETTINGS, nodeFlags } from "../support/processes/node-flags.ts";
import { ended, startSimulatorChild } from "../support/processes/spawned.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const HOMES = 10;
const DAY_MS = 10_000;
const CLOCK = "2025-10-21T12:00:00Z";
const SPEED = String(86_400_000 / DAY_MS);
const SERVICE = { ACCOUNTS: String(HOMES), CLOCK, SPEED };

export async function run(): Promise<Record<string, number>> {
  buildProgram();
  using dir = new TempDir();
  const { child: simulator, url, key } = await startSimulatorChild(SERVICE);
  const numbers = Array.from({ length: HOMES }, (_, i) => i + 1);
  const plan = { name: "Boiler", kind: "window", hours: 2, ready_by: "17:45", kwh: 3 };
  const daemon = spawn(process.execPath, [...nodeFlags(HOMES), PROGRAM, "--clock", CLOCK, "--speed", SPEED], {
    cwd: dir.path,
    env: {
      ...MALLOC_SETTINGS,
      ELBRO_SERVICE_BASE_URL: url,
      ELBRO_CONSUMER: JSON.stringify(
        numbers.map((n) => ({ name: `account-${n}`, api_key: n === 1 ? key : `${key}-${n}` })),
      ),
      ELBRO_PLANS: JSON.stringify(
        numbers.map((n) => ({ ...plan, id: `boiler-${n}`, home: n === 1 ? "home" : `home_${n}` })),
      ),
      ...{ ELBRO_BROKER_HOST: "127.0.0.1", ELBRO_BROKER_PORT: "0", ELBRO_API_HOST: "127.0.0.1", ELBRO_API_PORT: "0" },
      ...{ ELBRO_HISTORY_MONTHS: "1", ELBRO_DATA_DIR: dir.file("data"), ELBRO_LOG_LEVEL: "warn" },
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await pause(DAY_MS);
    const before = cpuSeconds(daemon);
    await pause(DAY_MS);
    const cpuS = cpuSeconds(daemon) - before;
    return { cpu_s_per_home_day: cpuS / HOMES, rss_mb: memoryMb(daemon), package_kb: packageKb() };
  } finally {
    await ended(daemon);
    await ended(simulator);
  }
}
