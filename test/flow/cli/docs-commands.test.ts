import { execFile } from "node:child_process";
import { copyFileSync, cpSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { databasePathIn } from "../../../src/storage/open-storage.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { type ShellCommand, shellCommands } from "../../support/docs/shell-commands.ts";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";
import type { InstalledDaemon } from "../../support/processes/installed-daemon.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

/** Second half of a command: another program gets the data of the first half. */
const OTHER_PROGRAM = /^curl .*http:\/\/192\.168\.1\.6:5000/;
/** Commands that another test runs. */
const RUN_ELSEWHERE: readonly RegExp[] = [
  /^npm start$/, // test/flow/cli/built-program.test.ts
  /^npm test$/, // this run
  /^docker (build|run|exec) /, // npm run lab -- image
  /^npx openapi-typescript |^pipx run openapi-python-client /, // test/flow/api/generated-clients.test.ts
  OTHER_PROGRAM, // npm run lab -- readers
];
/** Command of the demo, which runs until it is stopped. */
const DEMO = /^npm start -- --clock /;
const ELBRO = /^(npm start --|elbro) (.+)$/;
const EVENING = Date.parse("2026-11-21T18:00:00Z");

const commands = shellCommands();
const isCurl = ({ text }: ShellCommand) => text.startsWith("curl ") && !OTHER_PROGRAM.test(text);
const isElbro = ({ text }: ShellCommand) => ELBRO.test(text) && !DEMO.test(text);

test("every command of the documentation is run by a test", () => {
  const others = commands.filter((command) => !isCurl(command) && !isElbro(command) && !DEMO.test(command.text));
  expect(others.filter(({ text }) => !RUN_ELSEWHERE.some((pattern) => pattern.test(text)))).toEqual([]);
  expect([commands.filter(isCurl).length, commands.filter(isElbro).length]).toEqual([
    expect.toSatisfy((count) => count >= 9),
    expect.toSatisfy((count) => count >= 10),
  ]);
});

describe("the built program", () => {
  /** Its data directory is that of all pages. */
  let first: InstalledDaemon;
  beforeAll(async () => {
    first = await TestDaemon.install();
    // The first night stores prices and makes a copy of the database.
    expect((await first.run("prices")).code).toBe(0);
    copyFileSync(databasePathIn(first.dataDir), `${databasePathIn(first.dataDir)}.copy`);
  });
  afterAll(() => first?.[Symbol.asyncDispose]());

  test.each([...new Set(commands.filter(isElbro).map(({ page }) => page))])(
    "the commands of %s work with the built program, one after the other",
    async (page) => {
      await using installed = await TestDaemon.install();
      cpSync(first.dataDir, installed.dataDir, { recursive: true });
      for (const { text } of commands.filter((command) => isElbro(command) && command.page === page)) {
        const [, , args = ""] = ELBRO.exec(text) ?? [];
        const { code, output } = await installed.run(...args.replaceAll("/backups", installed.dir.path).split(" "));
        expect([text, code, output]).toEqual([text, 0, expect.any(String)]);
      }
    },
  );
});

test.each(commands.filter(({ text }) => DEMO.test(text)).map(({ text }) => text))(
  "%s starts the demo",
  async (text) => {
    const args = text.replace("npm start -- ", "").split(" ");
    await using demo = new DaemonProcess(args, {
      ELBRO_API_PORT: "0",
      ELBRO_BROKER_PORT: "0",
      ELBRO_HISTORY_MONTHS: "1",
    });
    await demo.line(/dashboard|http:/i);
    expect((await demo.end("SIGINT")).code).toBe(0);
  },
);

test("every curl command of the documentation gets the documented response", async () => {
  const names = ["Dryer", "Car"];
  const yaml = `plans:\n${names.map((name) => `  - { name: ${name}, home: home, kind: window, hours: 2 }\n`).join("")}`;
  await using daemon = await TestDaemon.start({ start: EVENING, simulator: { homes: ["danish"] }, yaml });
  await daemon.clock.runUntil(EVENING + HOUR_MS);
  const curls = commands.filter(isCurl);
  using folder = new TempDir();
  // The command that creates the plan of the other commands runs first.
  const isMade = ({ text }: ShellCommand) => text.includes('"name": "Dishwasher"');
  for (const { text, output } of curls.toSorted((a, b) => Number(isMade(b)) - Number(isMade(a)))) {
    const command = text
      .replaceAll("<key>", LAN_KEY)
      .replaceAll("<id>", daemon.simulator.addressIds.danish)
      // Replaces the date in the documented file name.
      .replace(/elbro-backup-[\d-]+\.db/, `elbro-backup-${new Date(EVENING).toISOString().slice(0, 10)}.db`)
      .replaceAll(/http:\/\/(localhost|192\.168\.1\.5):8080/g, daemon.url)
      // The first half of a command.
      .replace(/ \|$/, "");
    const given = await curl(command, folder.path);
    const isSignalCode = text.includes("code=1");
    expect([text, given.status]).toEqual([text, expect.toBeOneOf(isSignalCode ? [200, 400] : [200, 201, 202])]);
    const [line = ""] = output;
    if (line.startsWith("{")) expect(Object.keys(JSON.parse(given.body))).toEqual(Object.keys(JSON.parse(line)));
    else if (line !== "") expect(["ON", "OFF"]).toEqual(expect.arrayContaining([line, given.body.trim()]));
  }
});

/** Runs a command in a shell in the folder `cwd`. Reads a stream for 1 s, again until it has begun in that time. */
async function curl(command: string, cwd: string): Promise<{ readonly status: number; readonly body: string }> {
  const line = command.replace("curl ", "curl --silent --show-error --max-time 60 --write-out '\\n%{http_code}' ");
  const isStream = command.includes(" -N ");
  const shown = isStream ? line.replace("--max-time 60", "--max-time 1") : line;
  const run = promisify(execFile)("sh", ["-c", shown], { cwd });
  const { stdout } = await run.catch((error: { code: unknown; stdout: string }) => {
    // Exit code 28 of curl: the time limit is reached, as expected for a stream.
    if (error.code !== 28) throw error;
    return error;
  });
  const [, body = "", status = ""] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
  return isStream && Number(status) === 0 ? curl(command, cwd) : { status: Number(status), body };
}
