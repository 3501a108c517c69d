/** The way out through a proxy, as the environment names it. Null where it names none. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * Reads the proxy variables in the form that curl and most others know, lower case first.
 * Errors: none; null without a proxy. `NO_PROXY` alone is none.
 */
export function proxyOf(environment: Readonly<Record<string, string | undefined>>): ProxySettings | null {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || "";
  const settings = { httpProxy: read("HTTP_PROXY"), httpsProxy: read("HTTPS_PROXY"), noProxy: read("NO_PROXY") };
  return settings.httpProxy || settings.httpsProxy ? settings : null;
}
