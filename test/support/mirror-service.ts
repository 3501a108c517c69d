import { operationOf } from "../../src/contract/operations.ts";
import { thirdPartyToken } from "../../src/contract/token.ts";
import { type EpochMs, SECOND_MS } from "../../src/core/interval.ts";
import { hmacSha256 } from "../../src/lan-access.ts";
import type { FaultRule } from "../../src/simulator/fault-rules.ts";
import { MIRROR_DIFFERENCES } from "../contract/differences.ts";
import { lookedAt } from "../contract/looked-at.ts";
import type { ServiceUnderTest } from "../contract/service-expectations.ts";
import { ask } from "./service-caller.ts";
import { LAN_KEY, TestDaemon } from "./test-daemon.ts";

/** A morning on which prices, forecast and yesterday's use are there. */
const MORNING: EpochMs = Date.UTC(2026, 5, 10, 9, 20);
/** The service's third-party interface takes a request in ten seconds; a wrong key costs less of a wait. */
const REST_MS = 11 * SECOND_MS;
const LAN_PAIR = { apiKey: "partner-of-the-house", apiSecret: "secret-of-the-house" };

export interface MirrorServiceOptions {
  readonly faults?: readonly FaultRule[];
  readonly insteadOfData?: ServiceUnderTest["insteadOfData"];
  readonly restMs?: number;
}

/**
 * A mirror in front of a simulator, for all of the service. Time stands still, and nobody but the LAN asks: there are no
 * homes to ask for.
 */
export class MirrorService implements ServiceUnderTest {
  readonly house: TestDaemon;
  readonly consumerKey = LAN_KEY;
  readonly thirdPartyToken: string = thirdPartyToken(LAN_PAIR, "hex", hmacSha256);
  readonly differences = MIRROR_DIFFERENCES;
  readonly insteadOfData: NonNullable<ServiceUnderTest["insteadOfData"]> | null;
  readonly #restMs: number;
  #wentDownAt: EpochMs | null = null;

  private constructor(house: TestDaemon, { insteadOfData, restMs }: MirrorServiceOptions) {
    this.house = house;
    this.insteadOfData = insteadOfData ?? null;
    this.#restMs = restMs ?? REST_MS;
  }

  static async start(options: MirrorServiceOptions = {}): Promise<MirrorService> {
    const { limits } = MIRROR_DIFFERENCES;
    const { faults = [] } = options;
    const house = await TestDaemon.start({
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
    await house.clock.settle();
    return new MirrorService(house, options);
  }

  get url(): string {
    return `http://127.0.0.1:${this.house.daemon.apiPort}`;
  }

  get danishAddressId(): string {
    return this.house.simulator.addressIds.danish;
  }

  get swedishAddressId(): string {
    return this.house.simulator.addressIds.swedish;
  }

  get now(): EpochMs {
    return this.house.clock.now();
  }

  get dataAt(): EpochMs {
    return this.#wentDownAt ?? this.now;
  }

  /** Requests that came to the service. */
  get upstream(): number {
    return this.house.simulator.answered().length;
  }

  rest(): void {
    this.house.clock.leap(this.now + this.#restMs);
  }

  /** The service is gone, and time goes on. */
  async goDown(forMs: number): Promise<void> {
    this.#wentDownAt = this.now;
    await this.house.simulator.close();
    this.house.clock.leap(this.now + forMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.house[Symbol.asyncDispose]();
  }
}

/** Asks for all that the suite asks for, so that it is on the shelf. */
export async function fillStore(mirror: MirrorService): Promise<void> {
  for (const { operation, values } of lookedAt(mirror)) {
    if (operationOf(operation).interface === "thirdParty") mirror.rest();
    const { status, text } = await ask(mirror, operation, values);
    if (status !== 200) throw new Error(`${operation} ${JSON.stringify(values)}: ${status} ${text}`);
  }
}
