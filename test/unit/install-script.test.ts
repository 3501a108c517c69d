/** Tests `npm start` in a new clone with the machine's Node: the number of installs until everything is installed. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TempDir } from "../support/daemon/temp-dir.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: Record<string, string>;
};

/** Runs the script in a clone with `node` and an npm that installs Node 24. Returns the number of installs. */
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

// npm omits packages that the running Node is too old for, such as the bundler's native part on Node 18.
test("an older Node installs twice, the second time with the installed Node 24", () => {
  expect(installsOn("v18.20.8")).toBe(2);
  expect(installsOn("v24.21.0")).toBe(1);
});
