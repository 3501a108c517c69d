/** `ON` or `OFF` for small devices. Every error is `OFF`; the header `X-Elbro-Reason` has the reason. */

import { type LocalError, localErrorTable } from "../../http/errors.ts";
import type { LocalAnswer } from "../../http/response.ts";
import type { LocalRequest } from "../../http/route.ts";

interface Signal {
  readonly on: boolean;
  readonly reason: string;
  readonly status?: number;
  /** Returns the same response as JSON. */
  readonly body: () => object;
}

/** Returns `ON` or `OFF`, or JSON if the request asks for it. */
export function signalAnswer({ on, reason, status = 200, body }: Signal, request: LocalRequest): LocalAnswer {
  if (wantsJson(request)) return { kind: "json", status, body: body() };
  return { kind: "text", text: on ? "ON" : "OFF", status, headers: { "X-Elbro-Reason": headerText(reason) } };
}

/** Returns an error as `OFF`, or the error itself if the request asks for JSON. */
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

/** Returns whether a request asks for JSON: by `format`, or else by `Accept`. False if it has neither. */
function wantsJson({ query, headers }: LocalRequest): boolean {
  const format = query.get("format");
  if (format !== null) return format === "json";
  return /\bapplication\/json\b/i.test(headers.accept ?? "");
}

/** Returns a text in ASCII for a header. Replaces Danish letters, such as `æ` by `ae`, and other characters by `?`. */
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
