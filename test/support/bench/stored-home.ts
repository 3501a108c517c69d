/** Stores the simulator's responses for one home in a database, as the daemon does, without HTTP. */

import { type EpochMs, HOUR_MS } from "../../../src/core/time/interval.ts";
import type { OperationId, OperationIdOf, ParamsOf } from "../../../src/service/contract/operations.ts";
import { rangeOf, seriesOf, takeApart } from "../../../src/service/contract/series-mapping.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { consumerHandlers } from "../../../src/simulator/consumer-handlers.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { World } from "../../../src/simulator/world.ts";
import { SeriesRepository } from "../../../src/state/series-repository.ts";
import { openDatabase } from "../../../src/storage/database.ts";

export const ACCOUNT = "consumer";
/** Duration of a request. */
const ANSWER_MS = 250;
/** Days of consumption that are requested again, because the last of them are estimates. */
const USAGE_DAYS = 3;
const USAGE_OPERATIONS = ["consumption", "consumptionCosts", "solarExport", "solarExportRevenue"] as const;

const home = demoHomes.danish;
export const addressId: string = home.address.id;
export const calendar = serviceCalendar();

/** Response of any operation. */
export type Answer = object;

export class StoredHome implements Disposable {
  readonly database: ReturnType<typeof openDatabase>;
  readonly repository: SeriesRepository;
  readonly #handlers = consumerHandlers(
    new World({ seed: 7, homes: [home], market: undefined, publicationDelay: () => 0 }),
  );
  now: EpochMs;

  constructor(path: string, now: EpochMs) {
    this.now = now;
    this.database = openDatabase(path);
    this.repository = new SeriesRepository(this.database, calendar, () => this.now);
  }

  /** Makes one request: records the attempt, gets the response (`known` if given) and stores it. */
  async poll<Id extends OperationIdOf<"consumer">>(
    operation: Id,
    params: ParamsOf<Id>,
    known?: Answer,
  ): Promise<Answer> {
    const id = this.spend(operation, params);
    const answer = known ?? (await this.answer(operation, params));
    this.now += ANSWER_MS;
    this.repository.requestLog.settle(
      id,
      200,
      `b8f0a1c2-7d1e-4c7b-8f7c-${String(this.now).padStart(12, "0")}`,
      this.now,
    );
    await this.repository.keepAnswer(ACCOUNT, operation, params, { body: answer as never, at: this.now });
    return answer;
  }

  spend<Id extends OperationIdOf<"consumer">>(operation: Id, params: ParamsOf<Id>): number {
    return this.repository.requestLog.spend({
      account: ACCOUNT,
      share: "poll",
      at: this.now,
      boot: "5f0c9a1e-6a4b-4d7e-9b55-0d6a3f1c2b7d",
      monotonicMs: this.now,
      serverMs: this.now,
      seriesId: this.repository.store.idOf(seriesOf(ACCOUNT, operation, params)),
      range: "from" in params ? rangeOf(operation, params) : null,
    });
  }

  /** Returns the simulator's response. Throws if the simulator does not implement the operation. */
  async answer<Id extends OperationIdOf<"consumer">>(operation: Id, params: ParamsOf<Id>): Promise<Answer> {
    const handler = this.#handlers[operation] as (params: unknown, context: unknown) => Promise<{ body?: Answer }>;
    const { body } = await handler(params, { now: this.now, headers: {} });
    if (!body) throw new Error(`the simulator has no ${operation}`);
    return body;
  }

  /** Makes the requests of a normal day: 24, of which half bring new data. */
  async day(start: EpochMs): Promise<void> {
    const tomorrow = calendar.day(calendar.add("day", start, 1));
    const prices = { addressId, from: tomorrow.start, to: tomorrow.end, resolution: "fifteenMinutes" } as const;
    const days = { addressId, from: calendar.add("day", start, -USAGE_DAYS), to: start, aggregation: "hour" } as const;
    for (let hour = 0; hour < 24; hour++) {
      this.now = calendar.timeOnDay(start, hour * 60);
      if (hour % 3 === 0) await this.poll("forecastPrices", { addressId });
      if (hour === 4) await this.poll("addresses", {});
      if (hour === 7 || hour === 12 || hour === 18)
        for (const operation of USAGE_OPERATIONS) await this.poll(operation, days);
      if (hour === 12 || hour === 13 || hour === 14) await this.poll("prices", prices);
    }
  }

  /** Stores a day of final values. Returns the number of values. */
  async finalDay(start: EpochMs): Promise<number> {
    const { start: from, end: to } = calendar.day(start);
    this.now = to + 10 * 24 * HOUR_MS;
    let numbers = await this.#final("prices", { addressId, from, to, resolution: "fifteenMinutes" });
    for (const operation of USAGE_OPERATIONS)
      numbers += await this.#final(operation, { addressId, from, to, aggregation: "hour" });
    return numbers;
  }

  [Symbol.dispose](): void {
    this.database.close();
  }

  async #final<Id extends OperationIdOf<"consumer">>(operation: Id, params: ParamsOf<Id>): Promise<number> {
    const answer = await this.answer(operation, params);
    await this.repository.keepAnswer(ACCOUNT, operation, params, { body: answer as never, at: this.now });
    const { rows } = takeApart(operation as OperationId, answer as never);
    return [...rows].flatMap((row) => Object.values(row)).filter((value) => typeof value === "number").length;
  }
}
