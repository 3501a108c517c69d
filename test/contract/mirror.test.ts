import type { OperationId } from "../../src/contract/operations.ts";
import { LAN_KEY, RunningHouse } from "../support/running-house.ts";
import { describeService, type ServiceUnderTest } from "./service-suite.ts";

/** The operations the mirror answers by now; the others are read through the same way. */
const MIRRORED: readonly OperationId[] = ["addresses", "prices", "forecastPrices"];
const NOW = Date.UTC(2026, 5, 10, 9, 20);

/** A mirror in front of a simulator, at a time that stands still. */
async function mirror(options: { readonly filled: boolean }): Promise<ServiceUnderTest> {
  const api = {
    host: "127.0.0.1",
    port: 0,
    keys: [{ name: "test", key: LAN_KEY }],
    requests_per_minute: 10_000,
    requests_per_day: 10_000,
  };
  const house = await RunningHouse.start({
    start: NOW,
    simulator: { limits: { minute: 10_000, day: 10_000 } },
    config: { api, ...(options.filled ? {} : { homes: [] }) },
  });
  await house.clock.settle();
  return {
    url: `http://127.0.0.1:${house.daemon.apiPort}`,
    consumerKey: LAN_KEY,
    thirdPartyToken: house.simulator.keys.thirdPartyToken,
    danishAddressId: house.simulator.addressIds.danish,
    swedishAddressId: house.simulator.addressIds.swedish,
    now: NOW,
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

describeService("the mirror with a filled shelf", () => mirror({ filled: true }), MIRRORED);
describeService("the mirror with an empty shelf, reading through", () => mirror({ filled: false }), MIRRORED);
