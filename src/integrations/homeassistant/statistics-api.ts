/**
 * Home Assistant's long-term statistics: rows of hours with the amount of the hour (`state`) and a running sum.
 *
 * Source: Home Assistant's recorder, `recorder/import_statistics` and `recorder/statistics_during_period`; from 2026.11 on
 * `mean_type` and `unit_class` are mandatory.
 */
import { type EpochMs, formatInstant, HOUR_MS, type Interval } from "../../core/time/interval.ts";
import { type HomeAssistantClient, HomeAssistantError } from "./websocket-client.ts";

/** Source of elbro's statistics, with which their ids begin. */
export const SOURCE = "elbro";

export interface StatisticMetadata {
  /** `elbro:` and letters, digits and single underscores. */
  readonly id: string;
  readonly name: string;
  /** `kWh` or a currency. */
  readonly unit: string;
}

/** An hour of a statistic, in its unit. */
export type StatisticRow = { readonly start: EpochMs; readonly state: number; readonly sum: number };

/** Value of `mean_type` for statistics without a mean: these rows are sums. */
const MEAN_TYPE_NONE = 0;

export class StatisticsApi {
  readonly #client: Pick<HomeAssistantClient, "ask">;

  constructor(client: Pick<HomeAssistantClient, "ask">) {
    this.#client = client;
  }

  /**
   * Adds rows, or replaces those of the same hour. Home Assistant answers before it stores them; read them to confirm.
   * Takes a few thousand rows at most, because Home Assistant accepts messages of 4 MiB. Rejects with a
   * HomeAssistantError.
   */
  async import({ id, name, unit }: StatisticMetadata, rows: readonly StatisticRow[]): Promise<void> {
    await this.#client.ask({
      type: "recorder/import_statistics",
      metadata: {
        has_sum: true,
        mean_type: MEAN_TYPE_NONE,
        name,
        source: SOURCE,
        statistic_id: id,
        unit_class: unit === "kWh" ? "energy" : null,
        unit_of_measurement: unit,
      },
      stats: rows.map(({ start, state, sum }) => ({ start: formatInstant(start), state, sum })),
    });
  }

  /** Returns the rows of the hours in a range, ascending, with gaps. Rejects with a HomeAssistantError. */
  async hours(id: string, range: Interval): Promise<StatisticRow[]> {
    return (await this.#during(id, range, "hour")).map(({ start, state, sum }) => ({ start, state, sum }));
  }

  /** Returns the running sum before an instant; 0 if there is no earlier row. Rejects with a HomeAssistantError. */
  async sumBefore(id: string, at: EpochMs): Promise<number> {
    const months = await this.#during(id, { start: 0, end: at }, "month");
    // Months are in Home Assistant's time zone, and the last one may end after the instant.
    const whole = months.findLast(({ end }) => end <= at);
    const begun = months.find(({ start, end }) => start < at && end > at);
    const hours = begun ? await this.hours(id, { start: begun.start, end: at }) : [];
    return hours.at(-1)?.sum ?? whole?.sum ?? 0;
  }

  async #during(id: string, { start, end }: Interval, period: "hour" | "month"): Promise<PeriodRow[]> {
    const result = await this.#client.ask({
      type: "recorder/statistics_during_period",
      start_time: formatInstant(start),
      end_time: formatInstant(end),
      statistic_ids: [id],
      period,
      types: ["state", "sum"],
    });
    const rows = (result as Readonly<Record<string, unknown>> | null)?.[id] ?? [];
    if (!Array.isArray(rows)) throw new HomeAssistantError("refused", "its statistics response is not a list");
    return rows.map(rowOf);
  }
}

interface PeriodRow extends StatisticRow, Interval {}

function rowOf(row: Readonly<Record<string, unknown>>): PeriodRow {
  const { start, end, state, sum } = row;
  if (typeof start !== "number" || typeof sum !== "number")
    throw new HomeAssistantError("refused", "a row of its statistics response has no start or no sum");
  return {
    start,
    end: typeof end === "number" ? end : start + HOUR_MS,
    state: typeof state === "number" ? state : 0,
    sum,
  };
}
