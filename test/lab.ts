/** `npm run lab -- NAME [arguments]`: long tests, measurements and builds that are not part of `npm test`. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { writeHomeAssistantApp } from "../release/home-assistant-app.ts";
import { buildSite } from "../release/site.ts";

const ROOT = path.join(import.meta.dirname, "..");

interface Lab {
  readonly text: string;
  /** Program, script and arguments, or what is done instead. */
  readonly run: readonly ["node" | "bash", ...string[]] | (() => void);
}

const labs: Readonly<Record<string, Lab>> = {
  year: { text: "simulates a year of one home with faults", run: ["node", "test/flow/state/year.ts"] },
  torture: { text: "injects faults into the built program", run: ["node", "test/torture/run.ts"] },
  hostile: {
    text: "sends hostile texts of each source to the built program",
    run: ["node", "test/torture/run.ts", "texts"],
  },
  homeassistant: { text: "tests with a real Home Assistant", run: ["node", "test/homeassistant/run.ts"] },
  readers: { text: "runs the programs that read elbro's prices", run: ["node", "test/readers/run.ts"] },
  python: { text: "checks manifests and a generated client with PyPI", run: ["node", "test/python/run.ts"] },
  neighbours: { text: "measures elbro next to other home daemons", run: ["node", "test/footprint/neighbours.ts"] },
  image: { text: "builds and tests the container image", run: ["bash", "test/image/image.sh"] },
  release: { text: "builds the release twice and installs its package", run: ["node", "test/release/run.ts"] },
  mutants: { text: "breaks the sources at random places: COUNT, SEED", run: ["node", "test/mutants/run.ts"] },
  screenshots: { text: "takes the pictures of the documentation from the demo", run: takeScreenshots },
  site: { text: "builds the documentation as a site", run: () => console.log(`the site is in ${buildSite()}`) },
  app: { text: "writes the Home Assistant app to build/home-assistant", run: writeApp },
};

function takeScreenshots(): void {
  const vitest = path.join(ROOT, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run", "test/browser/docs-images.test.ts"], {
    ...{ cwd: ROOT, stdio: "inherit", env: { ...process.env, IMAGES: "update" } },
  });
  process.exitCode = status ?? 1;
}

function writeApp(): void {
  writeHomeAssistantApp(path.join(ROOT, "build/home-assistant"), null);
  console.log("the app is in build/home-assistant");
}

const [name = "", ...given] = process.argv.slice(2);
const lab = Object.hasOwn(labs, name) ? labs[name] : undefined;
if (!lab) {
  if (name !== "") console.error(`there is no lab "${name}"\n`);
  console.error("usage: npm run lab -- NAME [arguments]\n");
  for (const [each, { text }] of Object.entries(labs)) console.error(`  ${each.padEnd(14)} ${text}`);
  process.exitCode = 64;
} else if (typeof lab.run === "function") lab.run();
else {
  const [program, ...script] = lab.run;
  const command = program === "node" ? process.execPath : program;
  const { status, error } = spawnSync(command, [...script, ...given], { cwd: ROOT, stdio: "inherit" });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
