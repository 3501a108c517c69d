/** `npm start` in a fresh clone, on the Node of the machine: which installs it needs until everything is there. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TempDir } from "../support/daemon/temp-dir.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: Record<string, string>;
};

/** Runs the script in a clone on `node`, beside an npm that brings Node 24 along. Returns how often it installed. */
function installsOn(node: string): number {
  using dir = new TempDir();
  const program = (name: string, text: string) => {
    writeFileSync(dir.file(name), `#!/bin/sh\n${text}\n`);
    chmodSync(dir.file(name), 0o755);
  };
  mkdirSync(dir.file("machine"));
  writeFileSync(dir.file("package-lock.json"), "");
  utimesSync(dir.file("package-lock.json"), 0, 0);
  program("machine/node", `echo ${node}`);
  program(
    "machine/npm",
    'echo install >> installs; mkdir -p node_modules/.bin; printf "#!/bin/sh\\necho v24.21.0\\n" > node_modules/.bin/node; chmod +x node_modules/.bin/node; touch node_modules/.package-lock.json',
  );
  const PATH = `node_modules/.bin:${dir.file("machine")}:/usr/bin:/bin`;
  const script = scripts["install-if-needed"] ?? "";
  for (let starts = 0; starts < 2; starts++)
    expect(spawnSync("/bin/sh", ["-c", script], { cwd: dir.path, env: { PATH } }).status).toBe(0);
  return readFileSync(dir.file("installs"), "utf8").trim().split("\n").length;
}

// npm leaves out what the Node that runs it is too old for: the bundler's native part on Node 18.
test("an older Node installs again with the Node 24 that it has just installed, and then no more", () => {
  expect(installsOn("v18.20.8")).toBe(2);
  expect(installsOn("v24.21.0")).toBe(1);
});
