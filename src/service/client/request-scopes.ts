import type { Share } from "../../core/fetching/rate-limit.ts";
import { type OperationId, operationOf, type ParamsOf } from "../contract/operations.ts";
import { writeRequest } from "../contract/request.ts";
import type { Scopes } from "./circuit-breaker.ts";

const PLACE_NAMES: readonly string[] = ["latitude", "longitude"];

/**
 * Returns the scopes of an account that a failure may affect. Scheduled requests are named by series and share, because
 * their ranges move with time; those of LAN clients by path, because they may request anything.
 */
export function scopesOf(account: string, operation: OperationId, params: ParamsOf<OperationId>, share: Share): Scopes {
  const values: Readonly<Record<string, unknown>> = params;
  const { inPath, inQuery } = operationOf(operation);
  const names = [...Object.keys(inPath), ...Object.keys(inQuery).filter((name) => PLACE_NAMES.includes(name))];
  const series = [account, operation, ...names.map((name) => String(values[name]))].join(" ");
  const { addressId } = values;
  const place = addressId === undefined ? series : `${account} ${String(addressId)}`;
  const request = share === "lan" ? writeRequest(operation, params) : `${series} ${share}`;
  return { request, series, place, account };
}

/** Returns the address that a scope names, also one of an earlier process; undefined if it names none. */
export function addressOfScope(scope: string): string | undefined {
  return / ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.exec(scope)?.[1];
}
