import { expect, test } from "vitest";
import { commandLine } from "../../../src/config/command-hint.ts";

const node = "/usr/bin/node";
const program = "/opt/elbro/elbro.cjs";

test.each([
  ["by npm", { npm_lifecycle_event: "start" }, [], false, "npm start -- keys create a"],
  [
    "by npm with a file",
    { npm_lifecycle_event: "start" },
    ["--config", "my.yaml"],
    false,
    "npm start -- keys create a --config my.yaml",
  ],
  ["by npm in a container", { npm_lifecycle_event: "start" }, [], true, "npm start -- keys create a"],
  ["by Node", {}, ["run", "--config=/etc/elbro.yaml"], false, `node ${program} keys create a --config /etc/elbro.yaml`],
  [
    "by Node with a file in the environment",
    { ELBRO_CONFIG: "/c" },
    [],
    false,
    `node ${program} keys create a --config /c`,
  ],
  [
    "by Home Assistant's supervisor",
    { SUPERVISOR_TOKEN: "t", HOSTNAME: "local-elbro", ELBRO_DATA_DIR: "/data" },
    [],
    true,
    "docker exec app_local_elbro elbro keys create a",
  ],
  [
    "by systemd, whose credentials are gone when it has ended",
    { ELBRO_DATA_DIR: "/var/lib/elbro" },
    ["--config", "/run/credentials/elbro.service/elbro.yaml"],
    false,
    `ELBRO_DATA_DIR=/var/lib/elbro node ${program} keys create a`,
  ],
])("commandLine matches the way in which the daemon was started: %s", (_name, env, args, isContainer, line) => {
  expect(commandLine("keys create a", { env, argv: [node, program, ...args], isContainer })).toBe(line);
});

test("commandLine in a container without the daemon starts another container on its volume", () => {
  const line = commandLine("keys create a", {
    env: { ELBRO_DATA_DIR: "/data" },
    argv: [node, program],
    isContainer: true,
  });
  expect(line).toMatch(/^docker run --rm -v VOLUME:\/data IMAGE elbro keys create a {2}/);
});
