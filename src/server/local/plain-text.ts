/**
 * Answers for devices that understand a word and nothing else. Whatever is wrong, the word is `OFF`: a device that
 * compares the body with `ON` is safe without looking at the status, and why stands in `X-Elbro-Reason`.
 */

import { type LocalError, localErrorTable } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest } from "../http/route.ts";

interface Signal {
  readonly on: boolean;
  readonly reason: string;
  readonly status?: number;
  /** The same as JSON. */
  readonly body: () => object;
}

/** `ON` or `OFF`, or JSON for a request that wants it. */
export function signalAnswer({ on, reason, status = 200, body }: Signal, request: LocalRequest): LocalAnswer {
  if (wantsJson(request)) return { kind: "json", status, body: body() };
  return { kind: "text", text: on ? "ON" : "OFF", status, headers: { "X-Elbro-Reason": headerText(reason) } };
}

/** An error as `OFF`; the error itself for a request that wants JSON. */
export function signalError(error: LocalError, request: LocalRequest): LocalAnswer {
  if (wantsJson(request)) return error;
  const { code, reason, retryAfterSec } = error;
  const retry = retryAfterSec === undefined ? {} : { "Retry-After": String(retryAfterSec) };
  return {
    kind: "text",
    text: "OFF",
    status: localErrorTable[code].status,
    headers: { "X-Elbro-Reason": headerText(reason), ...retry },
  };
}

/** Whether a request wants JSON: by `format`, else by `Accept`; a plain word where it says neither. */
function wantsJson({ query, headers }: LocalRequest): boolean {
  const format = query.get("format");
  if (format !== null) return format === "json";
  return /\bapplication\/json\b/i.test(headers.accept ?? "");
}

/** A header carries ASCII; other letters are written as near as they come. */
function headerText(text: string): string {
  const letters: Readonly<Record<string, string>> = {
    æ: "ae",
    ø: "oe",
    å: "aa",
    Æ: "Ae",
    Ø: "Oe",
    Å: "Aa",
    "…": "...",
  };
  return text.replace(/[^\x20-\x7e]/g, (letter) => letters[letter] ?? "?");
}
