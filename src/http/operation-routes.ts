/** Routes of the service's operations, for an implementation of the contract: mirror or simulator. */
import type { IncomingHttpHeaders } from "node:http";
import { LRUCache } from "lru-cache";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import {
  type OperationId,
  operationIds,
  operationOf,
  type ParamsOf,
  type Success,
} from "../service/contract/operations.ts";
import { type RequestReading, readRequest } from "../service/contract/request.ts";
import type { LocalError } from "./errors.ts";
import { type Encoded, JSON_TYPE } from "./response.ts";
import type { LocalRequest, Route } from "./route.ts";

/** Request data for a handler, in addition to the parameters. */
export interface RequestContext {
  readonly now: EpochMs;
  readonly headers: IncomingHttpHeaders;
  /** Identifies operation and parameters: equal requests have the same key. */
  readonly key: string;
}

type Handler<Id extends OperationId> = (
  params: ParamsOf<Id>,
  context: RequestContext,
) => Promise<Success<Id> | LocalError | Encoded>;

export type ServerHandlers = { readonly [Id in OperationId]: Handler<Id> };

/** Parsed request, and the key of its context. */
type ParsedRequest = { readonly reading: RequestReading<OperationId>; readonly key: string };

export interface OperationRoute extends Route {
  readonly operation: OperationId;
}

/** Maximum total length of the URLs in the parameter cache; clients repeat a few dozen. Unit: characters. */
const MAX_URL_CHARS = 64 * 1024;

export function operationRoutes(handlers: ServerHandlers, calendar: Calendar): readonly OperationRoute[] {
  /** Cache by URL: parsing takes a quarter of the time of a small response. */
  const parsed = new LRUCache<string, ParsedRequest>({
    maxSize: MAX_URL_CHARS,
    sizeCalculation: (_request, url) => url.length,
  });
  const parse = (id: OperationId, { url, path, query }: Pick<LocalRequest, "url" | "path" | "query">) => {
    const reading = readRequest(id, { path, query }, calendar);
    const request = { reading, key: JSON.stringify([id, reading.kind === "params" ? reading.params : null]) };
    parsed.set(url, request);
    return request;
  };
  return operationIds.map((id) => ({
    operation: id,
    method: "GET",
    path: operationOf(id).path.replace(/\{(\w+)\}/g, ":$1"),
    scope: operationOf(id).interface,
    async handle(request) {
      const { reading, key } = parsed.get(request.url) ?? parse(id, request);
      if (reading.kind === "error") return reading;
      const handler = handlers[id] as Handler<OperationId>;
      const result = await handler(reading.params, { now: request.now, headers: request.headers, key });
      return result.kind === "ok" ? encoded(result.body) : result;
    },
  }));
}

function encoded(body: unknown): Encoded {
  return { kind: "encoded", status: 200, headers: { "Content-Type": JSON_TYPE }, body: JSON.stringify(body) };
}
