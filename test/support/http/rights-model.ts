/**
 * Who may do what over the LAN API, in the words of docs/security.md: the expected verdict on a request, without the
 * program's code.
 */

/** A method of a path, with its scope as the OpenAPI document of the daemon states it. */
export interface Door {
  readonly method: string;
  /** Path with `{names}`. */
  readonly path: string;
  readonly scope: "open" | "optional" | "read" | "control" | "admin" | "consumer" | "thirdParty";
}

export interface Credential {
  readonly name: string;
  /** Key in the query, which the URL gets. */
  readonly query?: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** `pair`: key and secret of /thirdParty. `session`: the cookie of a login. */
  readonly kind: "nothing" | "wrong" | "pair" | "key" | "session";
  readonly may: "nothing" | "read" | "control" | "admin";
}

export interface Context {
  readonly name: string;
  /** Host name of the request, without port. Default: the loopback address. */
  readonly host?: string;
  /** Method instead of the one of the door. */
  readonly method?: string;
  /** Further headers; undefined removes one. `{host}` is the host with its port. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly isForeignHost?: true;
  readonly isForeignOrigin?: true;
}

/** Status of a refusal, or `in` for any other answer. */
export type Verdict = 401 | 403 | 405 | 421 | "in";

const LEVEL = { nothing: 0, open: 0, optional: 0, read: 1, consumer: 1, thirdParty: 1, control: 2, admin: 3 };

/** Paths without a key. They contain nothing about the home, or check a token, a login or a code themselves. */
const OPEN =
  /^(get \/|get \/(docs|help)(\/.*)?|get (\/docs|\/help)?\/assets\/.*|get \/(healthz|livez|openapi\.json)|get \/local\/v1\/calendar\/.*|(get|post) \/local\/v1\/session|post \/local\/v1\/session\/end|(get|post) \/local\/v1\/setup(\/.*)?)$/;
/** Requests with a body that change nothing. With a key that only reads, /mcp has only the tools that read. */
const ONLY_READ = /^post \/(local\/v1\/plan-preview|mcp)$/;
/** Reads of what helps to change the house, or of everything that is stored. */
const PRIVATE =
  /^get \/local\/v1\/(settings|connections|history|keys|log(\.csv)?|backup|home-assistant-entities)(\/|$)/;
const ADMIN = /^((put|post|delete) \/local\/v1\/connections\/|\w+ \/local\/v1\/backup$)/;

/** Returns whether a door is open to more callers than docs/security.md promises. */
export function isTooOpen({ method, path, scope }: Door): boolean {
  const name = `${method.toLowerCase()} ${path}`;
  const changes = !name.startsWith("get ") && !ONLY_READ.test(name);
  const least = OPEN.test(name)
    ? "open"
    : ADMIN.test(name)
      ? "admin"
      : changes || PRIVATE.test(name)
        ? "control"
        : "read";
  return LEVEL[scope] < LEVEL[least];
}

interface Sent {
  readonly method: string;
  readonly path: string;
  /** Whether the request has the header of the dashboard's page, and no sign of another site. */
  readonly isFromPage: boolean;
  readonly hasAuthorization: boolean;
}

/** Returns the verdict that a request deserves: host, key in the URL, origin, method, then the rights of its sender. */
export function expectedVerdict(doors: readonly Door[], credential: Credential, context: Context, sent: Sent): Verdict {
  const { method, path } = sent;
  const isRead = method === "GET" || method === "HEAD";
  if (context.isForeignHost) return 421;
  if (credential.query !== undefined) return 401;
  if (context.isForeignOrigin && !isRead) return 403;
  const here = doors.filter((each) => each.path === path);
  const ofService = /^\/(consumer|thirdParty)\//.exec(path)?.[1] as "consumer" | "thirdParty" | undefined;
  const door = here.find((each) => each.method === (isRead && !ofService ? "GET" : method));
  const scope = door?.scope ?? ofService;
  if (scope === undefined) return 405;
  const verdict = verdictOn(scope, credential, sent);
  return verdict === "in" && !door ? 405 : verdict;
}

function verdictOn(scope: Door["scope"], { kind, may }: Credential, sent: Sent): Verdict {
  if (sent.path === "/local/v1/session/end") return sent.isFromPage ? "in" : 403;
  if (scope === "open" || (scope === "optional" && !sent.hasAuthorization)) return "in";
  if (kind === "nothing" || kind === "wrong") return 401;
  if (kind === "pair") return scope === "thirdParty" ? "in" : 401;
  const mayUseQuota = kind === "key" || sent.isFromPage;
  if (scope === "consumer" || scope === "thirdParty") return mayUseQuota ? "in" : 401;
  if (LEVEL[scope] > LEVEL.read && !mayUseQuota) return 403;
  return LEVEL[may] >= LEVEL[scope] ? "in" : 403;
}
