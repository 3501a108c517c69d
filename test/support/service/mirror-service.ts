import { type EpochMs, SECOND_MS } from "../../../src/core/time/interval.ts";
import { operationOf } from "../../../src/service/contract/operations.ts";
import { thirdPartyToken } from "../../../src/service/third-party-token.ts";
import type { FaultRule } from "../../../src/simulator/fault-rules.ts";
import { MIRROR_DIFFERENCES } from "../../contract/differences.ts";
import { lookedAt } from "../../contract/looked-at.ts";
import type { ServiceUnderTest } from "../../contract/service-expectations.ts";
import { LAN_KEY } from "../daemon/test-config.ts";
import { TestDaemon } from "../daemon/test-daemon.ts";
import { ask } from "./service-caller.ts";

/** Morning on which the service has prices, a forecast and yesterday's consumption. */
const MORNING: EpochMs = Date.UTC(2026, 5, 10, 9, 20);
/** Pause between third-party requests: the interface accepts one request in 10 s. */
const REST_MS = 11 * SECOND_MS;
const LAN_PAIR = { apiKey: "partner-of-the-house", apiSecret: "secret-of-the-house" };

export interface MirrorServiceOptions {
  readonly faults?: readonly FaultRule[];
  readonly insteadOfData?: ServiceUnderTest["insteadOfData"];
  readonly restMs?: number;
}

/** Mirror of a test daemon as a server of the contract. It has no homes, so only the test suite causes requests. */
export class MirrorService implements ServiceUnderTest {
  readonly daemon: TestDaemon;
  readonly consumerKey = LAN_KEY;
  readonly thirdPartyToken: string = thirdPartyToken(LAN_PAIR, "hex");
  readonly differences = MIRROR_DIFFERENCES;
  readonly insteadOfData: NonNullable<ServiceUnderTest["insteadOfData"]> | null;
  readonly #restMs: number;
  #wentDownAt: EpochMs | null = null;

  private constructor(daemon: TestDaemon, { insteadOfData, restMs }: MirrorServiceOptions) {
    this.daemon = daemon;
    this.insteadOfData = insteadOfData ?? null;
    this.#restMs = restMs ?? REST_MS;
  }

  static async start(options: MirrorServiceOptions = {}): Promise<MirrorService> {
    const { limits } = MIRROR_DIFFERENCES;
    const { faults = [] } = options;
    const daemon = await TestDaemon.start({
      start: MORNING,
      simulator: { limits: { minute: 10_000, day: 10_000 }, faults },
      config: {
        homes: [],
        history: { months: 0 },
        third_party: { api_key: "demo-partner", api_secret: "demo-partner-secret", hash_encoding: "hex", places: [] },
        api: {
          host: "127.0.0.1",
          port: 0,
          keys: [{ name: "test", key: LAN_KEY }],
          third_party_keys: [
            { name: "pair", api_key: LAN_PAIR.apiKey, api_secret: LAN_PAIR.apiSecret, hash_encoding: "hex" },
          ],
          requests_per_minute: limits.minute,
          requests_per_day: limits.day,
        },
      },
    });
    await daemon.clock.settle();
    return new MirrorService(daemon, options);
  }

  get url(): string {
    return this.daemon.url;
  }

  get danishAddressId(): string {
    return this.daemon.simulator.addressIds.danish;
  }

  get swedishAddressId(): string {
    return this.daemon.simulator.addressIds.swedish;
  }

  get now(): EpochMs {
    return this.daemon.clock.now();
  }

  get dataAt(): EpochMs {
    return this.#wentDownAt ?? this.now;
  }

  /** Number of requests that reached the service. */
  get upstream(): number {
    return this.daemon.simulator.answered().length;
  }

  rest(): void {
    this.daemon.clock.leap(this.now + this.#restMs);
  }

  /** Stops the service and moves the clock by `forMs`. */
  async goDown(forMs: number): Promise<void> {
    this.#wentDownAt = this.now;
    await this.daemon.simulator.close();
    this.daemon.clock.leap(this.now + forMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.daemon[Symbol.asyncDispose]();
  }
}

/** Sends every request of the suite once, so that the responses are stored. */
export async function fillStore(mirror: MirrorService): Promise<void> {
  for (const { operation, values } of lookedAt(mirror)) {
    if (operationOf(operation).interface === "thirdParty") mirror.rest();
    const { status, text } = await ask(mirror, operation, values);
    if (status !== 200) throw new Error(`${operation} ${JSON.stringify(values)}: ${status} ${text}`);
  }
}
