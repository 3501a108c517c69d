/**
 * Host names by which a browser may reach this machine, as a protection against DNS rebinding.
 * A page of another site can let its own name resolve to this machine, and then has the dashboard's origin. It cannot
 * use a name that cannot be registered publicly.
 */
import { isIP } from "node:net";

/** Host suffixes that cannot be registered publicly: those of home networks and of this machine. */
const PRIVATE_ENDS = [".local", ".localhost", ".lan", ".home", ".home.arpa", ".internal", ".intranet"] as const;
/** Maximum length of a `Host`; longer than any host name with its port. */
const LONGEST = 300;

export class AllowedHosts {
  readonly #exact: ReadonlySet<string>;
  readonly #ends: readonly string[];

  /** `own` is the machine's name. `more` are configured names; `*.example.org` matches every name below it. */
  constructor(own: string, more: readonly string[]) {
    const named = more.filter((name) => !name.startsWith("*."));
    this.#exact = new Set([own.toLowerCase(), ...named]);
    this.#ends = more.filter((name) => name.startsWith("*.")).map((name) => name.slice(1));
  }

  /** Returns whether a `Host`, with or without its port, is allowed. */
  allows(host: string): boolean {
    const name = nameIn(host);
    if (name === null) return false;
    // A name without a dot belongs to this network, for instance to a container. No site on the internet has one.
    if (isIP(name) !== 0 || !name.includes(".")) return true;
    return this.isNamed(host) || PRIVATE_ENDS.some((end) => name.endsWith(end));
  }

  /** Returns whether a host, with or without its port, is the machine's name or a configured one. */
  isNamed(host: string): boolean {
    const name = nameIn(host) ?? "";
    return this.#exact.has(name) || this.#ends.some((end) => name.endsWith(end));
  }
}

/** Returns the name or address in a `Host`, in lower case; null if it is malformed. */
function nameIn(host: string): string | null {
  if (host.length > LONGEST) return null;
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{0,5})?$/.exec(host.toLowerCase()) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed : null;
  return plain?.replace(/\.$/, "") || null;
}
