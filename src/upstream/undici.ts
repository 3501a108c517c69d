/**
 * The two parts of undici that are used. Its index would load fetch, WebSocket, caches and HTTP/2 as well: 28 MB and
 * 70 ms against 15 MB and 24 ms. The way through a proxy stands in a file of its own, loaded only where there is one.
 */
import type { Dispatcher, Pool as PoolType } from "undici";
// @ts-expect-error undici types its index only; the types below are the same ones.
import requestOfLib from "undici/lib/api/api-request.js";
// @ts-expect-error as above.
import PoolOfLib from "undici/lib/dispatcher/pool.js";

type Request = (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;

export const Pool = PoolOfLib as typeof PoolType;
export const request = requestOfLib as Request;
