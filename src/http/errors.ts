/** Errors of the LAN API: those of the service's contract, and those that only a local server has. */

import { type Message, type Text, textIn } from "../core/language/text.ts";
import type { PlanRefusal } from "../core/planning/command-refusal.ts";
import { type ContractError, errorTable } from "../service/contract/errors.ts";

/** The contract's table and further errors: code, status, and meaning for the owner of a device. */
export const localErrorTable = {
  ...errorTable,
  malformed_request: { status: 400, meaning: "The request is not valid HTTP/1.1." },
  method_not_allowed: {
    status: 405,
    meaning: "The path does not support this method; `Allow` lists the methods that it supports.",
  },
  request_timeout: { status: 408, meaning: "The request did not arrive in time." },
  conflict: { status: 409, meaning: "The command is not possible in the current state." },
  precondition_failed: { status: 412, meaning: "The entry has changed since the revision in `If-Match`." },
  payload_too_large: { status: 413, meaning: "The body is longer than this path accepts." },
  unsupported_media_type: { status: 415, meaning: "The body is not `application/json` in UTF-8 without compression." },
  headers_too_large: { status: 431, meaning: "Path and headers are longer than 16 kB together." },
  wrong_host: { status: 421, meaning: "The name in `Host` is not a name of this machine; see `api.hosts`." },
  not_saved: {
    status: 503,
    meaning: "The disk is full or failing, or no more files can be opened. Nothing was changed; try again later.",
  },
  not_known: { status: 503, meaning: "The requested value is not known at the moment, for example a missing price." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type LocalErrorCode = keyof typeof localErrorTable;

export type LackingScope = "control" | "admin";

/** An error before it becomes a response. Every `ContractError` is one too. `reason` may be shown to users. */
export interface LocalError extends Omit<ContractError, "code"> {
  readonly code: LocalErrorCode;
  /** Reason for refusing a command to a plan, for programs. */
  readonly refusal?: PlanRefusal;
  /** Scope that the caller lacks. */
  readonly scope?: LackingScope;
  /** Methods that a path supports, if the request has another one. */
  readonly allow?: string;
  /** The reason for the dashboard, which translates it. Absent for errors that only programs see. */
  readonly said?: Message;
  /** All mistakes of a configuration entry. */
  readonly mistakes?: readonly (Message & { readonly path: string; readonly line?: number })[];
}

export function localError(code: LocalErrorCode, reason: Text, retryAfterSec?: number): LocalError {
  const said = typeof reason === "string" ? {} : { said: reason };
  const retry = retryAfterSec === undefined ? {} : { retryAfterSec };
  return { kind: "error", code, reason: textIn("en", reason), ...said, ...retry };
}

/** Returns the refusal of a caller that lacks a scope. */
export function scopeError(scope: LackingScope, reason: Text): LocalError {
  return { ...localError("forbidden", reason), scope };
}

export function errorBody({ code, reason, said, refusal, mistakes }: LocalError) {
  const listed = mistakes?.map(({ path, line, ...said }) => ({ path, line, text: textIn("en", said), ...said }));
  return { error: true, reason, errorCode: code, ...(mistakes ? {} : said), refusal, mistakes: listed };
}
