/**
 * The names by which a browser may call this machine. Against DNS rebinding: another site's page can have its own name
 * lead to this machine, and would then be of the same origin as the dashboard; but it cannot have a name that nobody can register.
 */
import { isIP } from "node:net";

/** Ends of names that no registry gives away: those of home networks and of this machine. */
const PRIVATE_ENDS = [".local", ".localhost", ".lan", ".home", ".home.arpa", ".internal", ".intranet"] as const;
/** Longer than any host name with its port. */
const LONGEST = 300;

export class AllowedHosts {
  readonly #exact: ReadonlySet<string>;
  readonly #ends: readonly string[];
  /** The one that was allowed last: most callers come by the same. */
  #allowed = "";

  /** `own`: the machine's name. `more`: names of the configuration; `*.example.org` is every name below it. */
  constructor(own: string, more: readonly string[]) {
    const named = more.filter((name) => !name.startsWith("*."));
    this.#exact = new Set([own.toLowerCase(), ...named]);
    this.#ends = more.filter((name) => name.startsWith("*.")).map((name) => name.slice(1));
  }

  /** Whether a `Host`, with or without its port, is one of this machine's. */
  allows(host: string): boolean {
    if (host === this.#allowed) return true;
    const isAllowed = this.#isPrivate(host);
    if (isAllowed) this.#allowed = host;
    return isAllowed;
  }

  #isPrivate(host: string): boolean {
    const name = nameIn(host);
    if (name === null) return false;
    // A name without a dot is one of this network, for instance of a container: no site on the internet has one.
    if (isIP(name) !== 0 || !name.includes(".")) return true;
    return this.isNamed(host) || PRIVATE_ENDS.some((end) => name.endsWith(end));
  }

  /** Whether the owner named a host, with or without its port. */
  isNamed(host: string): boolean {
    const name = nameIn(host) ?? "";
    return this.#exact.has(name) || this.#ends.some((end) => name.endsWith(end));
  }
}

/** The name or address in a `Host`, in lower case; null without one. */
function nameIn(host: string): string | null {
  if (host.length > LONGEST) return null;
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{0,5})?$/.exec(host.toLowerCase()) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed : null;
  return plain?.replace(/\.$/, "") || null;
}
