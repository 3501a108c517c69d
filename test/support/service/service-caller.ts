import type { OperationId } from "../../../src/service/contract/operations.ts";
import { operationOf } from "../../../src/service/contract/operations.ts";

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers it does not trust
  readonly json: any;
}

/** Properties of a contract server that a client needs. */
export type Callable = { readonly url: string; readonly consumerKey: string; readonly thirdPartyToken: string };

/** Requests a path. `authorization` is the header's value; null sends no header. */
export async function askPath(url: string, path: string, authorization: string | null): Promise<ServiceAnswer> {
  const response = await fetch(`${url}${path}`, {
    redirect: "manual",
    headers: authorization === null ? {} : { authorization },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

/** Requests an operation with valid credentials. Values are strings, so that invalid ones can be sent. */
export function ask(
  service: Callable,
  operation: OperationId,
  values: Readonly<Record<string, string>> = {},
): Promise<ServiceAnswer> {
  const key = operationOf(operation).interface === "consumer" ? service.consumerKey : service.thirdPartyToken;
  return askPath(service.url, pathOf(operation, values), `Bearer ${key}`);
}

/** Returns the path of an operation. Values that are not in its path become query parameters. */
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
