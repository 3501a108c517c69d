/** Delivery of replies with injected faults. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { type EpochMs, SECOND_MS } from "../core/time/interval.ts";
import { type Reply, sendReply } from "../http/response.ts";
import { contractError, type ErrorCode, errorTable, serviceErrorBody } from "../service/contract/errors.ts";
import type { OperationId } from "../service/contract/operations.ts";
import { quotaHeaderNames } from "../service/contract/quota-headers.ts";
import type { FaultRule, FaultScript } from "./fault-rules.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };
type Deliver = (operation: OperationId, reply: Reply, response: ServerResponse) => Promise<void>;

/** `Retry-After` if no quota header shows the end of the minute. */
const RETRY_AFTER_WITHOUT_QUOTA_SEC = 60;

/** Creates a function that sends replies with the faults of a script. After `stopped` fires, delays end immediately. */
export function deliverThrough(script: FaultScript, now: () => EpochMs, stopped: AbortSignal): Deliver {
  return async (operation, given, response) => {
    let reply = given;
    for (const fault of script.strike(operation, now())) {
      switch (fault.fault) {
        case "delay":
          await wait(fault.delayMs, undefined, { signal: stopped }).catch(() => undefined); // rejects when stopped
          break;
        case "hang":
          return;
        case "lostConnection":
          response.destroy();
          return;
        case "cutOff":
          // Announces the full length, sends half of the body and closes the connection.
          response.writeHead(reply.status, { ...reply.headers, "Content-Length": Buffer.byteLength(reply.body) });
          response.write(firstHalf(reply.body), () => response.destroy());
          return;
        default:
          reply = spoiltReply(fault, reply, now());
      }
    }
    return sendReply(reply, response);
  };
}

/** Applies a fault to a reply. Faults of rows or fields do not change error responses. */
function spoiltReply(fault: FaultRule, reply: Reply, now: EpochMs): Reply {
  switch (fault.fault) {
    case "status":
      return statusReply(fault, reply, now);
    case "redirect":
      return { status: 302, headers: { ...reply.headers, Location: fault.location }, body: "" };
    case "html":
      return htmlReply(fault.status);
    case "lateRows":
      return withJson(reply, (json) => mapRows(json, (row) => (isWithin(fault, row) ? [] : [row])));
    case "wrongRows":
      return withJson(reply, (json) =>
        mapRows(json, (row) => [isWithin(fault, row) ? scaled(row, fault.factor) : row]),
      );
    case "badRow":
      return withJson(reply, (json) =>
        mapRows(json, (row, i) => {
          if (i !== fault.row || !isObject(row)) return [row];
          const bad = { ...row, ...(fault.put as JsonObject) };
          return fault.repeat ? [row, bad] : [bad];
        }),
      );
    case "headers":
      return { ...reply, headers: { ...reply.headers, ...fault.headers } };
    case "brokenJson":
      return { ...reply, body: firstHalf(reply.body) };
    case "empty":
      return withJson(reply, emptied);
    case "missingField":
      return withJson(reply, (json) => changeField(json, fault.field, ({ [fault.field]: _, ...others }) => others));
    case "wrongType": {
      const mistyped = (value: Json = null) => (typeof value === "number" ? String(value) : 12345);
      const change = (from: JsonObject) => ({ ...from, [fault.field]: mistyped(from[fault.field]) });
      return withJson(reply, (json) => changeField(json, fault.field, change));
    }
    default:
      return reply;
  }
}

function htmlReply(status: number): Reply {
  const page = `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`;
  return { status, headers: { "Content-Type": "text/html" }, body: page };
}

/** Replaces each row of a list or of an envelope by any number of rows. */
function mapRows(json: Json, change: (row: Json, index: number) => Json[]): Json {
  if (Array.isArray(json)) return json.flatMap(change);
  return isObject(json) && Array.isArray(json.data) ? { ...json, data: json.data.flatMap(change) } : json;
}

function isWithin({ rowsFrom, rowsTo }: { readonly rowsFrom: EpochMs; readonly rowsTo: EpochMs }, row: Json): boolean {
  const start = isObject(row) ? Date.parse(String(row.start ?? row.date)) : Number.NaN;
  return start >= rowsFrom && start < rowsTo;
}

function scaled(row: Json, factor: number): Json {
  if (!isObject(row)) return row;
  const entries = Object.entries(row);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === "number" ? value * factor : value]));
}

/** Returns the first half of a body, cut at any byte. */
function firstHalf(body: Reply["body"]): Uint8Array {
  const bytes = Buffer.from(body);
  return bytes.subarray(0, Math.ceil(bytes.length / 2));
}

function statusReply(fault: Extract<FaultRule, { fault: "status" }>, reply: Reply, now: EpochMs): Reply {
  const codes = Object.keys(errorTable) as ErrorCode[];
  const code = fault.errorCode ?? codes.find((each) => errorTable[each].status === fault.status);
  if (!code) return htmlReply(fault.status);
  const isBeforeQuota = fault.status === 401 || fault.status === 503;
  const quotaNames = new Set(Object.values(quotaHeaderNames).flatMap((names) => Object.values<string>(names)));
  const entries = Object.entries(reply.headers).filter(([name]) => !isBeforeQuota || !quotaNames.has(name));
  const headers: OutgoingHttpHeaders = Object.fromEntries(entries);
  delete headers["Retry-After"];
  if (fault.status === 429) {
    const names = quotaHeaderNames.minute;
    const resetSec = headers[names.resetSec];
    if (resetSec !== undefined) headers[names.remaining] = "0";
    const untilReset =
      resetSec === undefined
        ? RETRY_AFTER_WITHOUT_QUOTA_SEC
        : Math.max(1, Math.ceil(Number(resetSec) - now / SECOND_MS));
    headers["Retry-After"] = String(fault.retryAfterSec ?? untilReset);
  } else if (fault.retryAfterSec !== undefined) headers["Retry-After"] = String(fault.retryAfterSec);
  const error = serviceErrorBody(contractError(code, errorTable[code].meaning));
  return { status: fault.status, headers, body: JSON.stringify(error) };
}

function withJson(reply: Reply, change: (json: Json) => Json): Reply {
  if (reply.status !== 200) return reply;
  const json: Json = JSON.parse(Buffer.from(reply.body).toString("utf8"));
  return { ...reply, body: JSON.stringify(change(json)) };
}

/** Returns the same response without rows: empties a list, an envelope's rows, or the lists of a document. */
function emptied(json: Json): Json {
  if (Array.isArray(json)) return [];
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, Array.isArray(value) ? [] : value]));
}

/** Changes the rows that have a field; without such a row, the envelope. */
function changeField(json: Json, field: string, change: (from: JsonObject) => JsonObject): Json {
  const has = (each: Json): each is JsonObject => isObject(each) && Object.hasOwn(each, field);
  let isInRows = false;
  const changed = mapRows(json, (row) => {
    isInRows ||= has(row);
    return [has(row) ? change(row) : row];
  });
  return !isInRows && has(json) ? change(json) : changed;
}

function isObject(json: Json): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
