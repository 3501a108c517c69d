/** Small HTTP GET to a local server: Home Assistant's supervisor, or the daemon itself. */
import { type ClientRequest, get, type IncomingMessage, type RequestOptions } from "node:http";

export interface HttpGetResult {
  readonly status: number;
  readonly text: string;
}

interface Bounds {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Sends a GET over HTTPS. The certificate is not checked: the server is this program on this machine. */
export async function httpsGetHere(question: RequestOptions, bounds: Bounds): Promise<HttpGetResult> {
  const { request } = await import("node:https");
  return answerTo(
    (options, onResponse) => request({ ...options, rejectUnauthorized: false }, onResponse).end(),
    question,
    bounds,
  );
}

/** Sends a GET and reads the response. Rejects if there is no response, or if it exceeds the time or size limit. */
export function httpGet(question: RequestOptions, bounds: Bounds): Promise<HttpGetResult> {
  return answerTo(get, question, bounds);
}

type Get = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => ClientRequest;

function answerTo(send: Get, question: RequestOptions, { timeoutMs, maxBytes }: Bounds): Promise<HttpGetResult> {
  return new Promise((resolve, reject) => {
    const request = send({ ...question, timeout: timeoutMs, agent: false }, (response) => {
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
