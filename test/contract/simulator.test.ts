import { startSimulator } from "../../src/simulator/simulator.ts";
import { describeService } from "./service-suite.ts";

const now = Date.UTC(2026, 5, 10, 9, 20);

describeService("the simulator", async () => {
  const simulator = await startSimulator({ now: () => now, limits: { minute: 10_000, day: 10_000 } });
  return {
    url: simulator.url,
    consumerKey: simulator.keys.consumerKey ?? "",
    thirdPartyToken: simulator.keys.thirdPartyToken,
    danishAddressId: simulator.addressIds.danish,
    swedishAddressId: simulator.addressIds.swedish,
    now,
    [Symbol.asyncDispose]: () => simulator.close(),
  };
});
