/**
 * Answers for devices that understand a word and nothing else. Whatever is wrong, the word is `OFF`: a device that
 * compares the body with `ON` is safe without looking at the status, and why stands in `X-Elbro-Reason`.
 */

import { type LocalError, localErrorTable } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest } from "../http/route.ts";

/** Whether a request wants JSON: by `format`, else by `Accept`; a plain word where it says neither. */
export function wantsJson(format: string | null, { headers }: Pick<LocalRequest, "headers">): boolean {
  if (format !== null) return format === "json";
  return /\bapplication\/json\b/i.test(headers.accept ?? "");
}

/** `ON` or `OFF`. */
export function signalAnswer(on: boolean, reason: string, status = 200): LocalAnswer {
  return { kind: "text", text: on ? "ON" : "OFF", status, headers: { "X-Elbro-Reason": headerText(reason) } };
}

/** An error as a word. */
export function signalError({ code, reason, retryAfterSec }: LocalError): LocalAnswer {
  const retry = retryAfterSec === undefined ? {} : { "Retry-After": String(retryAfterSec) };
  return {
    kind: "text",
    text: "OFF",
    status: localErrorTable[code].status,
    headers: { "X-Elbro-Reason": headerText(reason), ...retry },
  };
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
