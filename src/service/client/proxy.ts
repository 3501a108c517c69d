/** The way out through a proxy, as the environment names it. An empty text is none. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

export const NO_PROXY: ProxySettings = { httpProxy: "", httpsProxy: "", noProxy: "" };

/**
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY, lower case first as curl does. undici reads them too, but from the process
 * itself, and only proxies with a scheme.
 * Errors: none; null without a proxy that can be read. `NO_PROXY` alone is none.
 */
export function proxyOf(environment: Readonly<Record<string, string | undefined>>): ProxySettings | null {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || "";
  const httpProxy = proxyUrl(read("HTTP_PROXY"));
  const httpsProxy = proxyUrl(read("HTTPS_PROXY"));
  return httpProxy || httpsProxy ? { httpProxy, httpsProxy, noProxy: read("NO_PROXY") } : null;
}

function proxyUrl(text: string): string {
  if (text === "") return "";
  const url = URL.parse(/^[a-z][a-z0-9]*:\/\//i.test(text) ? text : `http://${text}`);
  return url?.host ? url.href : "";
}
