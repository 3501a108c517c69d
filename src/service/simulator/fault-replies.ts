/** Faults that change what an answer says: pure, from reply to reply. */

import { type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import { contractError, type ErrorCode, errorBody, errorTable } from "../contract/errors.ts";
import { quotaHeaderNames } from "../contract/quota-headers.ts";
import type { Reply } from "../serve/mount.ts";
import type { Fault } from "./fault-rules.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

/** Faults between the service and the socket, not in the answer. */
export type TransportFault = Extract<Fault, { fault: "delay" | "hang" | "lostConnection" | "cutOff" }>;

/** What a caller is told to wait where no quota header says when the minute ends. */
const RETRY_AFTER_WITHOUT_QUOTA_SEC = 60;

/** The answer as the fault leaves it. A fault of rows or fields leaves an error answer alone. */
export function spoiltReply(fault: Exclude<Fault, TransportFault>, reply: Reply, now: EpochMs): Reply {
  switch (fault.fault) {
    case "status":
      return statusReply(fault, reply, now);
    case "redirect":
      return { status: 302, headers: { ...reply.headers, Location: fault.location }, body: "" };
    case "brokenJson":
      return { ...reply, body: firstHalf(reply.body) };
    case "empty":
      return reply.status === 200 ? withJson(reply, emptied) : reply;
    case "missingField":
      return reply.status === 200 ? withJson(reply, (json) => changeField(json, fault.field, remove)) : reply;
    case "wrongType":
      return reply.status === 200 ? withJson(reply, (json) => changeField(json, fault.field, mistype)) : reply;
  }
}

/** The first half of a body, cut without looking. */
export function firstHalf(body: Reply["body"]): Uint8Array {
  const bytes = Buffer.from(body);
  return bytes.subarray(0, Math.ceil(bytes.length / 2));
}

function statusReply(fault: Extract<Fault, { fault: "status" }>, reply: Reply, now: EpochMs): Reply {
  const code = fault.errorCode ?? codeOfStatus(fault.status);
  if (!code) {
    const page = `<html><head><title>${fault.status}</title></head><body><h1>${fault.status}</h1></body></html>`;
    return { status: fault.status, headers: { "Content-Type": "text/html" }, body: page };
  }
  const headers: Record<string, string> = { ...reply.headers };
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
  return {
    status: fault.status,
    headers,
    body: JSON.stringify(errorBody(contractError(code, errorTable[code].meaning))),
  };
}

function codeOfStatus(status: number): ErrorCode | undefined {
  return (Object.keys(errorTable) as ErrorCode[]).find((code) => errorTable[code].status === status);
}

function withJson(reply: Reply, change: (json: Json) => Json): Reply {
  const json: Json = JSON.parse(Buffer.from(reply.body).toString("utf8"));
  return { ...reply, body: JSON.stringify(change(json)) };
}

/** The same answer without a row: a list, an envelope, or the lists of a document. */
function emptied(json: Json): Json {
  if (Array.isArray(json)) return [];
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, Array.isArray(value) ? [] : value]));
}

function changeField(json: Json, field: string, change: (from: JsonObject, field: string) => void): Json {
  const rows = Array.isArray(json) ? json : isObject(json) && Array.isArray(json.data) ? json.data : [];
  const holders = rows.filter(isObject).filter((row) => Object.hasOwn(row, field));
  if (holders.length > 0) for (const row of holders) change(row, field);
  else if (isObject(json) && Object.hasOwn(json, field)) change(json, field);
  return json;
}

function remove(from: JsonObject, field: string): void {
  delete from[field];
}

function mistype(from: JsonObject, field: string): void {
  const value = from[field];
  from[field] = typeof value === "number" ? String(value) : 12345;
}

function isObject(json: Json): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
