import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/reading/load.ts";
import { copiedYaml } from "../../support/docs/copied-files.ts";
import { NODE_FLAGS } from "../../support/processes/node-flags.ts";
import { lacks } from "../../support/runner/needs.ts";

/** Maximum of systemd's exposure level: 0 is sandboxed, 10 is exposed; systemd rates 2 and above worse than OK. */
const MAX_EXPOSURE = 2;

interface Compose {
  readonly services: {
    readonly elbro: { readonly environment: Record<string, string>; readonly [key: string]: unknown };
  };
}

describe.each(["compose.yaml", "compose.mosquitto.yaml", "compose.archive.yaml"])("%s", (path) => {
  const { elbro } = (copiedYaml(path) as Compose).services;

  test("sandboxes the container as far as elbro allows", () => {
    expect(elbro).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
  });

  test("sets only variables that elbro knows", () => {
    const reading = readConfig({
      text: "consumer: { api_key: k }",
      environment: elbro.environment,
      readFile: () => "p",
    });
    expect(reading).toMatchObject({ kind: "config" });
  });
});

test("compose.mosquitto.yaml logs in to Mosquitto with a password from a file", () => {
  const { environment } = (copiedYaml("compose.mosquitto.yaml") as Compose).services.elbro;
  const readFile = (file: string) => `text of ${file}`;
  expect(readConfig({ text: "consumer: { api_key: k }", environment, readFile })).toMatchObject({
    config: {
      mqtt: { url: "mqtt://mosquitto:1883", username: "elbro", password: "text of /run/secrets/mqtt_password" },
    },
  });
});

test.each(["Dockerfile", "config/elbro.service", "config/home-assistant/elbro/Dockerfile", "test/image/image.sh"])(
  "%s starts elbro with the flags of npm start",
  (path) => {
    expect(NODE_FLAGS.length).toBeGreaterThan(0);
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")).toContain(NODE_FLAGS.join(" "));
  },
);

describe("elbro.service", () => {
  const path = join(import.meta.dirname, "../../../config/elbro.service");

  test.skipIf(lacks("systemd-analyze"))(
    "elbro.service is sandboxed by systemd's exposure level (needs systemd-analyze)",
    () => {
      const said = execFileSync("systemd-analyze", ["security", "--offline=true", path], { encoding: "utf8" });
      const [, exposure] = /Overall exposure level for elbro.service: ([\d.]+)/.exec(said) ?? [];
      expect(Number(exposure)).toBeLessThan(MAX_EXPOSURE);
    },
  );
});
