/** Proxy settings from the environment; an empty text means no proxy. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

export const NO_PROXY: ProxySettings = { httpProxy: "", httpsProxy: "", noProxy: "" };

/**
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY, lower-case names first as in curl, also without a URL scheme. Returns
 * null if no proxy is set or its URL is invalid; `NO_PROXY` alone has no effect.
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
