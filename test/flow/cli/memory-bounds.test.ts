/** Tests the maximum memory of the built program with any input. A bare start takes 70 to 80 MB. */
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";
import { InstalledDaemon } from "../../support/processes/installed-daemon.ts";
import { START_ENVIRONMENT } from "../../support/processes/node-flags.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { RawServer, rawAnswer } from "../../support/service/raw-server.ts";

const COMMAND_MB = 130;
const DAEMON_MB = 150;
const GIGABYTE = 1024 ** 3;
const WATCHED_MS = 4_000;

/**
 * Prints the peak memory in MB at the exit. `maxRSS` of a new process also counts the memory of the process that started
 * it; VmHWM does not.
 */
const PEAK_HOOK = `
const { existsSync, readFileSync } = require("node:fs");
const STATUS = "/proc/self/status";
process.on("exit", () => {
  const kb = existsSync(STATUS)
    ? Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync(STATUS, "utf8"))?.[1])
    : process.resourceUsage().maxRSS;
  console.error("PEAK", kb / 1024);
});
`;

/** Runs a command to its end. Returns its output and its peak memory. */
async function peakOf(dir: TempDir, args: readonly string[], environment: Record<string, string> = {}) {
  const hook = dir.file("peak.cjs");
  writeFileSync(hook, PEAK_HOOK);
  await using command = new DaemonProcess(args, environment, { nodeArgs: ["--require", hook] });
  await command.exit;
  return { megabytes: Number(/PEAK (\S+)/.exec(command.output)?.[1]), output: command.output };
}

function huge(file: string): string {
  writeFileSync(file, "");
  truncateSync(file, GIGABYTE);
  return file;
}

describe("a command stays within its memory limit with", () => {
  test.each<[string, (dir: TempDir) => [string[], Record<string, string>?], RegExp]>([
    ["a configuration of a gigabyte", (dir) => [["check", "--config", huge(dir.file("a"))]], /longer than 256 KiB/],
    ["a configuration without an end", () => [["check", "--config", "/dev/zero"]], /not a regular file/],
    ["a configuration of nested lists", (dir) => [["check", "--config", nested(dir)]], /too deep|not YAML|expected/],
    ["a secret without an end", () => [["check"], { ELBRO_CONSUMER_API_KEY_FILE: "/dev/zero" }], /not a regular file/],
    ["a copy without an end", (dir) => [["restore", "/dev/zero", "--config", configIn(dir)]], /cannot be used/],
    ["a copy of a gigabyte", (dir) => [["restore", huge(dir.file("a")), "--config", configIn(dir)]], /cannot be used/],
    [
      "keys without an end",
      (dir) => {
        const config = configIn(dir);
        symlinkSync("/dev/zero", dir.file("data/keys.json"));
        return [["keys", "list", "--config", config]];
      },
      /EFBIG/,
    ],
  ])("%s", async (name, make, expected) => {
    using dir = new TempDir();
    const { megabytes, output } = await peakOf(dir, ...make(dir));
    console.log(`${name}: ${megabytes.toFixed(0)} MB`);
    expect(output).toMatch(expected);
    expect(megabytes).toBeLessThan(COMMAND_MB);
  });
});

function configIn(dir: TempDir): string {
  mkdirSync(dir.file("data"));
  const config = { consumer: { api_key: "key" }, data_dir: dir.file("data") };
  writeFileSync(dir.file("elbro.yaml"), JSON.stringify(config));
  return dir.file("elbro.yaml");
}

function nested(dir: TempDir): string {
  writeFileSync(dir.file("deep.yaml"), "[".repeat(250_000));
  return dir.file("deep.yaml");
}

describe.concurrent("a daemon stays within its memory limit with", () => {
  const nestedAnswer = rawAnswer(`{"data":${"[".repeat(8_000_000)}`);
  const connack = Buffer.from([0x20, 0x03, 0x00, 0x00, 0x00]);
  const packets = {
    "a packet of 256 MB": [0x30, 0xff, 0xff, 0xff, 0x7f],
    "messages of QoS 2": [0x34, 0x03, 0x00, 0x01, 0x74],
  };

  async function peakWith(config: object): Promise<number> {
    await using installed = await InstalledDaemon.prepare({ simulator: { homes: ["danish"] }, config });
    await using daemon = installed.spawn([], START_ENVIRONMENT);
    await daemon.line(/API listens/);
    await pause(WATCHED_MS);
    if (daemon.exitCode !== null)
      throw new Error(`the daemon ended with ${daemon.exitCode}: ${daemon.output.slice(-2_000)}`);
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))?.[1]) / 1024;
  }

  test("8 MB of nested JSON from the service", async ({ expect }) => {
    await using service = await RawServer.start((socket) => void socket.end(nestedAnswer));
    const megabytes = await peakWith({ service: { base_url: service.url } });
    console.log(`8 MB of nested JSON: ${megabytes.toFixed(0)} MB, ${service.requests.length} requests`);
    expect(service.requests.length).toBeGreaterThan(0);
    expect(megabytes).toBeLessThan(DAEMON_MB);
  });

  test.for(Object.entries(packets))("%s from an external broker", async ([name, packet], { expect }) => {
    let sent = 0;
    await using broker = await RawServer.startTalking(Buffer.concat([connack, Buffer.from(packet)]), (socket) => {
      const flood = () => {
        if (socket.destroyed) return;
        sent += 65_536;
        socket.write(Buffer.alloc(65_536, Buffer.from(packet)), () => setImmediate(flood));
      };
      flood();
    });
    const megabytes = await peakWith({ mqtt: { url: `mqtt://127.0.0.1:${broker.port}` } });
    console.log(`${name}: ${megabytes.toFixed(0)} MB, ${(sent / 2 ** 20).toFixed(0)} MB sent`);
    expect(megabytes).toBeLessThan(DAEMON_MB);
  });
});
