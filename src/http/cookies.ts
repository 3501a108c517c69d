/**
 * Cookies of the dashboard.
 * A browser sends a cookie to every port of a host. With the port in the name, two servers of one host do not replace
 * each other's cookies. A cookie of a page that came by HTTPS is `Secure`, and its prefix keeps it so (RFC 6265bis, 4.1.3.2).
 */
import type { IncomingHttpHeaders } from "node:http";

export type Cookie = { readonly name: string; readonly value: string };

const SECURE_PREFIX = "__Host-";

/** Returns a cookie of a request by its name without port; the `Secure` one if there are two. Null without a cookie. */
export function cookieIn(headers: IncomingHttpHeaders | undefined, name: string): Cookie | null {
  const plain = nameAtPort(headers, name);
  const sent = (headers?.cookie ?? "").split(";").map((part) => part.trim().split("="));
  for (const wanted of [SECURE_PREFIX + plain, plain]) {
    const value = sent.find(([each]) => each === wanted)?.[1];
    if (value !== undefined) return { name: wanted, value };
  }
  return null;
}

/** Returns a new cookie for the browser that sent a request. */
export function newCookie(headers: IncomingHttpHeaders, name: string, value: string): Cookie {
  const plain = nameAtPort(headers, name);
  return { name: isHttps(headers) ? SECURE_PREFIX + plain : plain, value };
}

/** Returns the `Set-Cookie` of a cookie. `Strict`: no page or link of another site can use it. */
export function setCookie({ name, value }: Cookie, maxAgeSec?: number): string {
  const secure = name.startsWith(SECURE_PREFIX) ? "; Secure" : "";
  const maxAge = maxAgeSec === undefined ? "" : `; Max-Age=${maxAgeSec}`;
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=/${maxAge}${secure}`;
}

/** Returns the name with the port of the browser's address bar, if that is not the default port. */
function nameAtPort(headers: IncomingHttpHeaders | undefined, name: string): string {
  const [, port] = /:(\d{1,5})$/.exec(headers?.host ?? "") ?? [];
  return port === undefined ? name : `${name}_${port}`;
}

/** Returns whether the browser used HTTPS: by the origin of its page, otherwise by the header of a proxy. */
function isHttps({ origin, "x-forwarded-proto": proto }: IncomingHttpHeaders): boolean {
  return origin === undefined ? /^https\b/i.test(String(proto ?? "")) : origin.startsWith("https://");
}
