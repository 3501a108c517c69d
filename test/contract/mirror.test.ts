import { describe, expect, test } from "vitest";
import { DAY_MS, SECOND_MS } from "../../src/core/time/interval.ts";
import { type OperationId, operationIds } from "../../src/service/contract/operations.ts";
import { fillStore, MirrorService } from "../support/service/mirror-service.ts";
import { ask } from "../support/service/service-caller.ts";
import { representative } from "./looked-at.ts";
import { describeService, describeServiceWithoutData, type ServiceUnderTest } from "./service-suite.ts";

/** Longer than the freshness of any response that may change. */
const LONG_MS = 31 * DAY_MS;
/** Pause between requests to a service that has never responded: at most five are sent per minute. */
const UNTOLD_REST_MS = 100 * SECOND_MS;

describe("with a filled store", () => {
  let mirror: MirrorService;
  let asked = 0;

  const filled = async () => {
    mirror = await MirrorService.start();
    await fillStore(mirror);
    asked = mirror.upstream;
    return mirror;
  };
  const more = () => test("these requests caused no request to the service", () => expect(mirror.upstream).toBe(asked));
  describeService("the mirror", filled, { more });
});

describe("with an empty store, reading through", () => {
  describeService("the mirror", () => MirrorService.start());
});

describe("with a filled store and the service down", () => {
  const filled = async () => {
    const mirror = await MirrorService.start();
    await fillStore(mirror);
    await mirror.goDown(LONG_MS);
    return mirror;
  };
  describeService("the mirror", filled, { more: staleRules });
});

describe("with an empty store and the service down", () => {
  describeServiceWithoutData("the mirror", () =>
    MirrorService.start({
      faults: [{ operation: "*", fault: "lostConnection" }],
      insteadOfData: { status: 502, code: "upstream_unavailable" },
      restMs: UNTOLD_REST_MS,
    }),
  );
});

function staleRules(get: () => ServiceUnderTest): void {
  /** Complete and without estimates: data of a day long ago stays valid. */
  const settled: readonly OperationId[] = [
    ...(["consumption", "consumptionCosts", "solarExport", "solarExportRevenue", "prices"] as const),
  ];

  test.each(operationIds)(
    "%s is returned unchanged with its age, and marked as stale if it may have changed",
    async (id) => {
      const { status, headers } = await ask(get(), id, representative(get(), id));
      const said = ["x-elbro-source", "x-elbro-stale"].map((name) => headers.get(name));
      expect([status, ...said]).toEqual([200, "shelf", settled.includes(id) ? null : "true"]);
      expect(Number(headers.get("age"))).toBeGreaterThanOrEqual(LONG_MS / SECOND_MS);
    },
  );
}
