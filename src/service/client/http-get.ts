/** Small HTTP GET to a local server: Home Assistant's supervisor, or the daemon itself. */
import { get, type RequestOptions } from "node:http";

export interface HttpGetResult {
  readonly status: number;
  readonly text: string;
}

interface Bounds {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Sends a GET and reads the response. Rejects if there is no response, or if it exceeds the time or size limit. */
export function httpGet(question: RequestOptions, { timeoutMs, maxBytes }: Bounds): Promise<HttpGetResult> {
  return new Promise((resolve, reject) => {
    const request = get({ ...question, timeout: timeoutMs, agent: false }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxBytes) response.destroy(new Error("its response is too long"));
        else parts.push(part);
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      response.on("error", reject);
    });
    request.on("timeout", () => request.destroy(new Error(`no response within ${timeoutMs / 1_000} s`)));
    request.on("error", reject);
  });
}
