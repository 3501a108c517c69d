/** Mapping between responses and stored series, one rule for polling, mirror and fetch schedule. */

import {
  type Envelope,
  type Row,
  type Rows,
  type SeriesKey,
  type SeriesUnit,
  WHOLE,
} from "../../core/series/series.ts";
import { type EpochMs, formatInstant, type Interval } from "../../core/time/interval.ts";
import { type BodyOf, isOperationId, type OperationId, operationOf, type ParamsOf } from "./operations.ts";

/** Response split for the series store. */
export type SplitResponse = { readonly rows: Rows; readonly envelope: Envelope };

type Values = Readonly<Record<string, unknown>>;

/** Returns the series that an operation requests with these parameters. */
export function seriesOf<Id extends OperationId>(account: string, operation: Id, params: ParamsOf<Id>): SeriesKey {
  const { range, interface: face } = operationOf(operation);
  const values: Values = params;
  const place = face === "consumer" ? String(values.addressId ?? "") : JSON.stringify(values);
  return { account, place, operation, unit: range ? (values[range.unitFrom] as SeriesUnit) : "latest" };
}

/** Returns the operation of a series. Throws TypeError if the contract has no such operation. */
export function operationIdOf({ operation }: SeriesKey): OperationId {
  if (!isOperationId(operation)) throw new TypeError(`the service has no operation ${operation}`);
  return operation;
}

/** Returns the range of a request; `WHOLE` if the operation takes none. */
export function rangeOf<Id extends OperationId>(operation: Id, params: ParamsOf<Id>): Interval {
  const values: Values = params;
  return operationOf(operation).range ? { start: values.from as EpochMs, end: values.to as EpochMs } : WHOLE;
}

/** Returns the request parameters of a series; `range` is required if the operation takes one. */
export function paramsOf(series: SeriesKey, range: Interval | undefined): ParamsOf<OperationId> {
  const operation = operationOf(operationIdOf(series));
  if (operation.interface === "thirdParty") return JSON.parse(series.place) as ParamsOf<OperationId>;
  const params: Record<string, unknown> = { ...(series.place === "" ? {} : { addressId: series.place }) };
  if (operation.range && range)
    Object.assign(params, { from: range.start, to: range.end, [operation.range.unitFrom]: series.unit });
  return params as ParamsOf<OperationId>;
}

/** Splits a response into rows and envelope. Address and range are dropped, because they depend on the request. */
export function takeApart<Id extends OperationId>(operation: Id, body: BodyOf<Id>): SplitResponse {
  switch (operationOf(operation).response.shape) {
    case "document":
      return { rows: [body as Row], envelope: {} };
    case "list":
      return { rows: body as unknown as Rows, envelope: {} };
    case "series": {
      const { data, addressId: _addressId, from: _from, to: _to, ...envelope } = body as Values & { data: Rows };
      return { rows: data, envelope };
    }
  }
}

/** Returns the JSON of a response before and after the inside of the array of its rows. */
export function aroundRows(
  operation: OperationId,
  params: ParamsOf<OperationId>,
  envelope: Envelope,
): readonly [head: string, tail: string] {
  switch (operationOf(operation).response.shape) {
    case "document":
      return ["", ""];
    case "list":
      return ["[", "]"];
    case "series": {
      const { addressId, from, to } = params as Readonly<{ addressId?: string; from?: EpochMs; to?: EpochMs }>;
      const head = {
        ...(addressId === undefined ? {} : { addressId }),
        ...(from === undefined || to === undefined ? {} : { from: formatInstant(from), to: formatInstant(to) }),
        ...envelope,
      };
      const text = JSON.stringify(head);
      return [`${text === "{}" ? "{" : `${text.slice(0, -1)},`}"data":[`, "]}"];
    }
  }
}
