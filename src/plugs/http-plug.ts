/** A plug over HTTP or HTTPS: one request at a time, with limits, a login, and a certificate that stays the same. */
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { HttpLogin, PlugMessage } from "../core/plugs/families/plug-family.ts";
import { foreignSources } from "../core/text/foreign-text.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";
import { type DigestChallenge, digestAuthorization, digestChallengeIn } from "./digest-auth.ts";

/** Interval of state requests. Over HTTP, a plug does not report a press of its button by itself. */
export const POLL_MS: number = MINUTE_MS;
/** Less than the time after which a command is sent again. */
const TIMEOUT_MS = 5 * SECOND_MS;
/** Maximum number of requests that wait for the one in flight: a command with its state request, and a retry. */
const MAX_WAITING = 4;
/** Maximum number of requests for one message: without a login, with one, and again if the nonce was too old. */
const MAX_TRIES = 3;
/** Longest part of an unreadable address, or of an error, that is shown. */
const MAX_SHOWN_LENGTH = 100;
/** Time limit for the pending requests. The daemon ends within 2 s. */
const MAX_CLOSING_MS = SECOND_MS;

/** Address of a plug and how to log in to it. */
export interface HttpAccess {
  readonly url: string;
  readonly login: HttpLogin;
  /** Matches a body with the status 200 that refuses the login. */
  readonly refusal?: RegExp | undefined;
  readonly username: string;
  /** Undefined for a plug without a password. */
  readonly password: string | undefined;
  /** Returns the SHA-256 fingerprint that the certificate must have; null if any is accepted. */
  readonly certificate: () => string | null;
}

/** Response of a plug, or the reason why it is missing. */
export type PlugAnswer =
  | { readonly kind: "answered"; readonly body: string; readonly certificate: string | null }
  /** No connection, no response in time, or a response that is not one of a plug. */
  | { readonly kind: "silent" }
  | { readonly kind: "login_needed" | "login_refused" }
  /** The plug answers with an error, for instance because it has no such channel. */
  | { readonly kind: "failed"; readonly status: number; readonly text: string }
  /** The plug wants to be asked at another URL, mostly by HTTPS. */
  | { readonly kind: "redirected"; readonly url: string }
  /** The certificate is not the expected one. Nothing was sent. */
  | { readonly kind: "other_certificate"; readonly fingerprint: string };

export interface HttpPlug {
  /** Sends a GET. Returns false if too many are waiting. */
  readonly send: (message: PlugMessage) => boolean;
  /** Returns true while a request has no answer. */
  readonly isBusy: () => boolean;
  /** Waits up to 1 s for the pending requests, then closes the connection. */
  readonly close: () => Promise<void>;
}

/** Opens a plug. `onAnswer` receives the answer to each message. */
export function openHttpPlug(access: HttpAccess, onAnswer: (answer: PlugAnswer) => void): HttpPlug {
  const closing = new AbortController();
  const login = new Login(access);
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const get = async (path: string) => {
    const answer = await answerTo(access, login, path, closing.signal);
    waiting--;
    onAnswer(answer);
  };
  return {
    send({ topic: path }) {
      if (waiting >= MAX_WAITING) return false;
      waiting++;
      last = last.then(() => get(path));
      return true;
    },
    isBusy: () => waiting > 0,
    async close() {
      const deadline = setTimeout(() => closing.abort(), MAX_CLOSING_MS);
      await last;
      clearTimeout(deadline);
    },
  };
}

/** Sends a GET, and again with a login if the plug asks for one. Never rejects. */
async function answerTo(access: HttpAccess, login: Login, path: string, closing: AbortSignal): Promise<PlugAnswer> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    for (let tries = 1; ; tries++) {
      const response = await getOnce(access, login, path, signal);
      const { answer } = response;
      const isRefused = answer.kind === "answered" && (access.refusal?.test(answer.body) ?? false);
      if (response.status !== 401 && !isRefused) return answer;
      if (access.password === undefined) return { kind: "login_needed" };
      if (!login.learn(response.challenge) || tries === MAX_TRIES) return { kind: "login_refused" };
    }
  } catch {
    return { kind: "silent" };
  }
}

/** Credentials of a plug in the form that its firmware asks for. */
class Login {
  readonly #access: HttpAccess;
  #challenge: DigestChallenge | null = null;
  /** Requests with the nonce of the challenge. */
  #count = 0;

  constructor(access: HttpAccess) {
    this.#access = access;
  }

  /** Returns the path and the headers of a request with the credentials, as far as the plug has asked for them. */
  signed(path: string): { readonly path: string; readonly headers: Record<string, string> } {
    const { login, username, password } = this.#access;
    if (password === undefined) return { path, headers: {} };
    if (login === "query") {
      const credentials = new URLSearchParams({ user: username, password });
      return { path: `${path}${path.includes("?") ? "&" : "?"}${credentials}`, headers: {} };
    }
    if (login === "basic")
      return { path, headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` } };
    if (!this.#challenge) return { path, headers: {} };
    this.#count++;
    const request = { username, password, method: "GET", uri: path, count: this.#count };
    return { path, headers: { authorization: digestAuthorization(this.#challenge, request) } };
  }

  /** Remembers the challenge of a refused request. Returns false if another try would be refused too. */
  learn(header: string | undefined): boolean {
    const challenge = this.#access.login === "digest" ? digestChallengeIn(header) : null;
    // A nonce that was used before may be too old, also if the server does not say so.
    const wasFresh = this.#challenge !== null && this.#count <= 1;
    this.#challenge = challenge;
    this.#count = 0;
    return challenge !== null && (!wasFresh || challenge.isStale);
  }
}

type Got = { readonly status: number; readonly challenge: string | undefined; readonly answer: PlugAnswer };

/** Sends one GET. Rejects if no complete response arrives. */
async function getOnce(access: HttpAccess, login: Login, path: string, signal: AbortSignal): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const signed = login.signed(path);
  const url = new URL(signed.path, access.url);
  const options = { headers: signed.headers, agent: false as const, signal };
  // Imported only when needed: they take 7 ms of a start. The certificate of a device is its own, so no authority vouches
  // for it; it is compared instead.
  const isSecure = url.protocol === "https:";
  const request = isSecure
    ? (await import("node:https")).request(url, { ...options, rejectUnauthorized: false })
    : (await import("node:http")).request(url, options);
  let certificate: string | null = null;
  const answered = (response: IncomingMessage, answer: PlugAnswer) =>
    resolve({ status: response.statusCode ?? 0, challenge: response.headers["www-authenticate"], answer });
  request.on("error", reject);
  request.on("response", (response) => {
    const { statusCode: status = 0, headers } = response;
    if (status >= 300 && status < 400 && headers.location !== undefined) {
      response.destroy();
      return answered(response, { kind: "redirected", url: addressOf(headers.location, url) });
    }
    const pieces: Buffer[] = [];
    let length = 0;
    response.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length > foreignSources.plug.length) response.destroy(new Error("the response is too long"));
      else pieces.push(piece);
    });
    response.on("error", reject);
    response.on("end", () => {
      const body = Buffer.concat(pieces).toString();
      const text = body.slice(0, MAX_SHOWN_LENGTH);
      answered(response, status === 200 ? { kind: "answered", body, certificate } : { kind: "failed", status, text });
    });
  });
  // Nothing is sent before `end`, so a device with another certificate does not get the password.
  request.once("socket", (socket) => {
    if (!isSecure) return void request.end();
    socket.once("secureConnect", () => {
      certificate = (socket as TLSSocket).getPeerX509Certificate()?.fingerprint256 ?? null;
      const expected = access.certificate();
      if (certificate !== null && (expected === null || expected === certificate)) return void request.end();
      resolve({
        status: 0,
        challenge: undefined,
        answer: certificate === null ? { kind: "silent" } : { kind: "other_certificate", fingerprint: certificate },
      });
      request.destroy();
    });
  });
  return promise;
}

/** Returns the address of a device that a redirect names, without the path. */
function addressOf(location: string, from: URL): string {
  try {
    return new URL(location, from).origin;
  } catch {
    return location.slice(0, MAX_SHOWN_LENGTH);
  }
}
