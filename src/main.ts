/** `elbro`: reads the command line and the configuration, starts the daemon, ends it on a signal. */
import { existsSync, readFileSync } from "node:fs";
import { pino } from "pino";
import { type Arguments, BadArgument, HELP, readArguments } from "./arguments.ts";
import { machineClock, simulatedClock } from "./collector/clock.ts";
import { readConfig } from "./config/load.ts";
import type { ConfigMistake } from "./config/mistake.ts";
import { startDaemon } from "./daemon.ts";
import { demoGreeting, isDemo, startDemo } from "./demo.ts";
import { StartError } from "./start-error.ts";
import { proxyOf } from "./upstream/proxy.ts";
import { VERSION } from "./version.ts";

/** Exit code of a configuration that cannot be used (EX_CONFIG of sysexits). */
const BAD_CONFIGURATION = 78;
const DEFAULT_CONFIGS = ["./config/elbro.yaml", "/data/elbro.yaml"];
const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";
/** After this a part that does not end is left behind; state is on disk at every moment. */
const STOP_TIMEOUT_MS = 1_800;

main().catch((error: unknown) => {
  if (!(error instanceof StartError || error instanceof BadArgument)) throw error;
  process.stderr.write(`elbro: ${error.message}\n`);
  process.exit(BAD_CONFIGURATION);
});

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2), process.env);
  if (given.command === "help") process.stdout.write(HELP);
  else if (given.command === "version") process.stdout.write(`${VERSION}\n`);
  else if (given.command === "hash-password") await printHash();
  else await run(given);
}

async function printHash(): Promise<void> {
  const { hashPassword } = await import("./mqtt/broker-users.ts");
  const password = readFileSync(process.stdin.fd, "utf8").replace(/\r?\n$/, "");
  if (password === "") throw new BadArgument("hash-password: expected a password on standard input");
  process.stdout.write(`${await hashPassword(password)}\n`);
}

async function run(given: Arguments): Promise<void> {
  const configPath = given.configPath ?? DEFAULT_CONFIGS.find((path) => existsSync(path)) ?? null;
  const config = loadConfig(configPath);
  const clock = clockOf(given);
  const log = pino({
    base: null,
    level: config.log.level,
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
  });
  const demo =
    configPath === null && isDemo(config)
      ? await startDemo({
          ...{ config, clock, hasDataDir: process.env.ELBRO_DATA_DIR !== undefined },
          host: process.env.ELBRO_DEMO_HOST,
        })
      : null;
  if (!demo && isDemo(config))
    throw new StartError(
      `${configPath ?? "the configuration"} has neither consumer.api_key nor third_party; set one of them`,
    );
  try {
    const used = demo?.config ?? config;
    const daemon = await startDaemon({
      ...{ config: used, clock, log, random: Math.random, anonymousBroker: demo?.anonymousBroker ?? false },
      // The demo's service lives by the daemon's clock, so it could not tell that this is wrong.
      simulatedTime: given.simulated !== null || demo !== null,
      // The demo's service is on this machine, where no proxy leads.
      proxy: demo ? null : proxyOf(process.env),
    });
    if (demo) process.stdout.write(demoGreeting(demo, { api: daemon.apiPort, broker: daemon.brokerPort }));
    const stop = () => {
      setTimeout(() => process.exit(0), STOP_TIMEOUT_MS).unref();
      void Promise.all([daemon.stop(), demo?.close()]).then(() => process.exit(0));
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  } catch (error) {
    await demo?.close();
    throw error;
  }
}

function loadConfig(path: string | null) {
  const readText = (file: string) => readFileSync(file, "utf8");
  let text: string | null = null;
  try {
    text = path === null ? null : readText(path);
  } catch (error) {
    throw new StartError(
      `cannot read the configuration ${path}: ${error instanceof Error ? error.message : "unknown error"}`,
    );
  }
  const reading = readConfig({ text, environment: process.env, readFile: readText });
  if (reading.kind === "config") return reading.config;
  throw new StartError(
    `the configuration${path === null ? "" : ` ${path}`} cannot be used:\n${reading.mistakes.map(line).join("\n")}`,
  );
}

function line({ path, text }: ConfigMistake): string {
  return `  ${path}: ${text}`;
}

/** Monotonic times compare within a boot; where the machine does not name its boots, within this process. */
function clockOf({ simulated }: Arguments) {
  const boot = existsSync(BOOT_ID_FILE) ? readFileSync(BOOT_ID_FILE, "utf8").trim() : null;
  const monotonicMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
  const startedAt = boot === null ? monotonicMs() : 0;
  const source = {
    boot: boot ?? `process ${process.pid} ${Date.now()}`,
    wallMs: Date.now,
    monotonicMs: () => monotonicMs() - startedAt,
  };
  return simulated ? simulatedClock(source, simulated.start ?? Date.now(), simulated.speed) : machineClock(source);
}
