import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { TempDir } from "../../support/runner/temp-dir.ts";

const CHILD = path.join(import.meta.dirname, "../../support/processes/children/watched.ts");

test.skipIf(process.platform === "win32")(
  "a program that hangs is ended after two pauses of its watchdog; one pause, as after a suspension, is forgiven",
  async () => {
    using dir = new TempDir();
    // Played pauses: each ends when the test writes a line.
    const [pipe, ended, sleep] = [dir.file("pipe"), dir.file("ended"), dir.file("sleep")];
    await once(spawn("mkfifo", [pipe]), "close");
    writeFileSync(ended, "");
    writeFileSync(sleep, `#!/bin/sh\nread line < ${pipe}\necho x >> ${ended}\n`);
    chmodSync(sleep, 0o755);
    const end = openSync(pipe, "r+");
    const env = { ...process.env, PATH: `${dir.path}:${process.env.PATH}` };
    const program = spawn(process.execPath, [CHILD], { env, stdio: ["ignore", "pipe", "pipe"] });
    const closed = once(program, "exit");
    let [said, errors] = ["", ""];
    program.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    program.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    const until = async (isSo: () => boolean) => {
      while (!isSo() && program.signalCode === null) await turn();
    };
    const beats = () =>
      until(
        (
          (from) => () =>
            said.split("\n").length > from + 3
        )(said.split("\n").length),
      );
    const pause = async () => {
      const before = readFileSync(ended, "utf8").length;
      writeSync(end, "x\n");
      await until(() => readFileSync(ended, "utf8").length > before);
    };
    for (let i = 0; i < 5; i++) await beats().then(pause);
    await beats();
    await pause();
    program.kill("SIGSTOP");
    await pause();
    program.kill("SIGCONT");
    for (let i = 0; i < 3; i++) await beats().then(pause);
    expect(program.signalCode).toBe(null);
    program.kill("SIGUSR2");
    await until(() => said.endsWith("hangs\n"));
    for (let i = 0; i < 3; i++) await pause();
    expect(await closed).toEqual([null, "SIGKILL"]);
    expect(errors).toContain("elbro did not respond for 40 s and is ended");
    closeSync(end);
  },
);
