import { Problems } from "../../../src/core/status/problem.ts";
import { PlugManager, type PlugManagerDeps } from "../../../src/plugs/plug-manager.ts";
import { TestMemory } from "../storage/test-memory.ts";

const NO_MONTH = { start: 0, kwh: 0, cost: null, currency: null } as const;
/** Stores nothing. */
export const noEnergy: PlugManagerDeps["energy"] = {
  add: () => undefined,
  priceAt: () => null,
  months: () => [NO_MONTH, NO_MONTH],
};

/** Opens plugs without a broker, a plan and a machine, unless they are given. */
export function openPlugs(given: Pick<PlugManagerDeps, "plugs"> & Partial<PlugManagerDeps>): PlugManager {
  return new PlugManager({
    baseTopic: "elbro",
    publishOnce: () => false,
    wanted: () => null,
    whenLost: ({ when_lost: whenLost }) => whenLost ?? "off",
    openHttp() {
      throw new Error("a plug has a url, but the test opens none");
    },
    machineIs: () => undefined,
    takesMachine: () => false,
    energy: noEnergy,
    trusted: () => true,
    memory: new TestMemory(),
    problems: new Problems(() => undefined),
    log: { info: () => undefined },
    wake: () => undefined,
    onChange: () => undefined,
    ...given,
  });
}
