/** Series to poll for an address and for an account, derived from the table of operations. */

import type { AccountTarget, AddressSeries } from "../../core/fetching/fetch-types.ts";
import type { SeriesKey, SeriesUnit } from "../../core/series/series.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { UNCAPPED_CLIENT_RANGE } from "./limits.ts";
import { type AnyOperation, type OperationId, operationIds, operationOf } from "./operations.ts";
import { type Address, capabilityNames, type Resolution } from "./resources.ts";
import { operationIdOf } from "./series-mapping.ts";

const DAYS_PER_YEAR = 365;

/** Returns the series to poll for an address. Shape: in the order of the table of operations. */
export function addressSeries(account: string, address: Address, resolution: Resolution): AddressSeries[] {
  return operationIds.flatMap((operation) => {
    const row = operationOf(operation);
    const isAvailable = row.capability === undefined || address.capabilities[row.capability] === true;
    if (!("label" in row.keep) || !isAvailable) return [];
    // The finest unit: the home's resolution for prices, hours for aggregations.
    const unit: SeriesUnit = row.range ? (row.range.unitFrom === "resolution" ? resolution : "hour") : "latest";
    const series = { account, place: address.id, operation, unit };
    return [{ series, poll: row.keep.poll, maxRangeDays: maxRangeDays(row, unit) }];
  });
}

function maxRangeDays({ range }: AnyOperation, unit: SeriesUnit): number {
  const cap = range?.caps[unit] ?? UNCAPPED_CLIENT_RANGE;
  return cap.unit === "day" ? cap.count : cap.count * DAYS_PER_YEAR;
}

/** Compares address series by their capability flags; the daemon's state lists them in this order. */
export function byCapability(a: SeriesKey, b: SeriesKey): number {
  return flagOf(operationIdOf(a)) - flagOf(operationIdOf(b));
}

/** Returns the position of the capability. Operations without one are available for every address and come last. */
function flagOf(id: OperationId): number {
  const { capability } = operationOf(id);
  return capability ? capabilityNames.indexOf(capability) : capabilityNames.length;
}

/** Returns the series to poll for a whole account of the consumer interface. */
export function consumerTargets(account: string): AccountTarget[] {
  return operationIds
    .filter((id) => operationOf(id).interface === "consumer" && !("label" in operationOf(id).keep))
    .map((operation) => accountTarget({ account, place: "", operation, unit: "latest" }));
}

/** Returns a series of an account or place with its polling. Throws TypeError for a series of an address. */
export function accountTarget(series: SeriesKey, reaches: EpochMs | null = null): AccountTarget {
  const { keep } = operationOf(operationIdOf(series));
  if ("label" in keep) throw new TypeError(`${series.operation} is polled for each address`);
  return { series, poll: keep.poll, reaches };
}

/** Returns the name of a series in MQTT topics and in the daemon's state. */
export function seriesLabel(operation: OperationId): string {
  const { keep } = operationOf(operation);
  return "label" in keep ? keep.label : operation;
}
