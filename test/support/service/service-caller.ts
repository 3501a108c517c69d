import type { OperationId } from "../../../src/service/contract/operations.ts";
import { operationOf } from "../../../src/service/contract/operations.ts";

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined where it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers it does not trust
  readonly json: any;
}

/** What a caller needs to know of a server of the contract. */
export interface Callable {
  readonly url: string;
  readonly consumerKey: string;
  readonly thirdPartyToken: string;
}

/** Asks a path with an `Authorization` header; none where it is null. */
export async function askPath(url: string, path: string, authorization: string | null): Promise<ServiceAnswer> {
  const response = await fetch(`${url}${path}`, {
    redirect: "manual",
    headers: authorization === null ? {} : { authorization },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

/** Asks an operation with the right credentials. Values as text, so that wrong ones can be sent too. */
export function ask(
  service: Callable,
  operation: OperationId,
  values: Readonly<Record<string, string>> = {},
): Promise<ServiceAnswer> {
  const key = operationOf(operation).interface === "consumer" ? service.consumerKey : service.thirdPartyToken;
  return askPath(service.url, pathOf(operation, values), `Bearer ${key}`);
}

/** The path of an operation: values by name into the path, the rest into the query. */
export function pathOf(operation: OperationId, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(values);
  const path = operationOf(operation).path.replace(/\{(\w+)\}/g, (_, name: string) => {
    query.delete(name);
    return encodeURIComponent(values[name] ?? "");
  });
  return query.size === 0 ? path : `${path}?${query}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
