/**
 * Access to the set-up before a key exists. A page of this server may use it on this machine, or after the user has
 * entered the code from the log. Each code admits one browser. The next code is then written to the log.
 */

import { randomBytes, randomInt } from "node:crypto";
import { message } from "../../core/language/text.ts";
import { SECOND_MS } from "../../core/time/interval.ts";
import { cookieIn, newCookie, setCookie } from "../../http/cookies.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import { addressGroup } from "../../http/guards/address-group.ts";
import { LoginThrottle } from "../../http/guards/login-throttle.ts";
import type { LocalRequest } from "../../http/route.ts";
import { fromElsewhere, fromOwnPage } from "../auth/session-auth.ts";
import { isSame } from "../auth/sessions.ts";

/** Characters of a code. Similar letters and digits are left out. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;
const COOKIE = "elbro_setup";
const TOKEN_BYTES = 32;
/** Headers that a proxy adds. A request through a proxy on this machine may come from any other machine. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"] as const;
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

export class SetupAccess {
  /** Writes a new code to the log. */
  readonly #showCode: (code: string) => void;
  readonly #throttle = new LoginThrottle();
  #code = "";
  /** Cookie of the browser that entered a code last; null before that. */
  #token: string | null = null;

  constructor(showCode: (code: string) => void) {
    this.#showCode = showCode;
    this.#renew();
  }

  /** Returns null if the request may use the set-up, otherwise the error. */
  refusal(request: LocalRequest): LocalError | null {
    const { headers } = request;
    if (!fromOwnPage(headers)) return fromElsewhere();
    const sent = cookieIn(headers, COOKIE)?.value ?? "";
    if (isOnThisMachine(request) || (this.#token !== null && isSame(sent, this.#token))) return null;
    return localError("invalid_token", message("refused.setup_code"));
  }

  /** Checks a code. Returns the `Set-Cookie` header for the right one, otherwise the error. */
  enter(code: unknown, { headers, remoteAddress, now }: LocalRequest): string | LocalError {
    if (!fromOwnPage(headers)) return fromElsewhere();
    const address = addressGroup(remoteAddress);
    const waitMs = this.#throttle.waitMs(address, now);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / SECOND_MS);
      return localError("rate_limited", message("refused.setup_many_codes", { seconds }), seconds);
    }
    const entered = String(code)
      .toUpperCase()
      .replace(/[^A-Z0-9]/g, "");
    if (!isSame(entered, this.#code)) {
      this.#throttle.wrong(address, now);
      return localError("invalid_token", message("refused.setup_wrong_code"));
    }
    this.#token = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#renew();
    return setCookie(newCookie(headers, COOKIE, this.#token));
  }

  #renew(): void {
    this.#code = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
    this.#showCode(this.#code.replace(/(.{4})(?=.)/, "$1-"));
  }
}

/** Returns true if a request comes from this machine and not through a proxy. */
export function isOnThisMachine({ headers, remoteAddress }: Pick<LocalRequest, "headers" | "remoteAddress">): boolean {
  return (
    /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/.test(remoteAddress) &&
    LOOPBACK_HOST.test(headers.host ?? "") &&
    PROXY_HEADERS.every((name) => headers[name] === undefined)
  );
}
