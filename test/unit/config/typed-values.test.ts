import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dashboardUrlOf } from "../../../src/config/dashboard-url.ts";
import { readConfig } from "../../../src/config/load.ts";
import { planDefinitions } from "../../../src/config/plan-schema.ts";
import { plugWarnings } from "../../../src/config/plug-schema.ts";
import { configSchema } from "../../../src/config/schema.ts";
import { redactedConfig, secretsIn } from "../../../src/config/secrets.ts";
import { changeBetween, takenOver } from "../../../src/state/config-reload.ts";
import { typedValues } from "../../support/daemon/typed-values.ts";

const RUNS = process.env.ELBRO_NIGHTLY === "1" ? 20_000 : 3_000;

function readFile(): string {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
}

test("any value of any key is a configuration or a list of mistakes, never an exception", () => {
  const before = configSchema.parse({});
  const found = { config: 0, mistakes: 0 };
  fc.assert(
    fc.property(typedValues(), ({ tree }) => {
      const reading = readConfig({ text: JSON.stringify(tree), environment: {}, readFile });
      found[reading.kind]++;
      if (reading.kind === "mistakes") {
        const isListed = reading.mistakes.every(({ path, text }) => path !== "" && !/internal error|^$/.test(text));
        return isListed && reading.mistakes.length > 0;
      }
      const { config } = reading;
      planDefinitions(config.plans, config.groups);
      plugWarnings(config.plugs, config.plans);
      changeBetween(before, takenOver(before, config));
      dashboardUrlOf(config.api);
      redactedConfig(config);
      secretsIn(config);
      return true;
    }),
    { numRuns: RUNS },
  );
  expect(found.config).toBeGreaterThan(RUNS / 20);
  expect(found.mistakes).toBeGreaterThan(RUNS / 4);
});

test("an unexpected error while a configuration is read is a mistake that does not quote it", () => {
  const page = () => {
    throw new TypeError("Invalid value: canary");
  };
  const reading = readConfig({ text: "language: da", environment: {}, readFile, page });
  expect(reading).toMatchObject({
    mistakes: [{ path: "the file", text: expect.stringMatching(/^internal error, please report this: TypeError at /) }],
  });
  expect(JSON.stringify(reading)).not.toContain("canary");
});
