/**
 * Emulates an ntfy server. Source: https://docs.ntfy.sh/publish/, sections "Publish as JSON", "Authentication" and
 * "Limitations", read in 2026-11. The documentation shows the bodies of 401, 403 and 429; those of other errors are
 * assumed.
 */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

interface Received {
  readonly topic: string;
  readonly title?: string;
  readonly message?: string;
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly click?: string;
}

interface NtfyOptions {
  /** Required `Authorization` header; undefined to accept every client. */
  readonly authorization?: string;
}

type Fault = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

const ERRORS: Readonly<Record<number, readonly [code: number, error: string]>> = {
  400: [40024, "invalid request: request body must be valid JSON"],
  401: [40101, "unauthorized"],
  403: [40301, "forbidden"],
  404: [40401, "page not found"],
  429: [42901, "limit reached: too many requests; increase your limits with a paid plan, see https://ntfy.sh"],
  500: [50001, "internal server error"],
};

export class EmulatedNtfy implements AsyncDisposable {
  /** Accepted messages, oldest first. */
  readonly messages: Received[] = [];
  /** Number of requests, including refused ones. */
  requests = 0;
  /** Response to every request; null for normal responses. */
  fault: Fault | null = null;
  readonly #options: NtfyOptions;
  readonly #server: Server;

  private constructor(options: NtfyOptions) {
    this.#options = options;
    this.#server = createServer(async (request, response) => {
      this.requests++;
      const { status, headers = {}, body } = await this.#answer(request);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    });
  }

  static async start(options: NtfyOptions = {}): Promise<EmulatedNtfy> {
    const ntfy = new EmulatedNtfy(options);
    await new Promise<void>((resolve) => ntfy.#server.listen(0, "127.0.0.1", resolve));
    return ntfy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage): Promise<Fault & { readonly body: object }> {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const refused = (status: number, headers: Readonly<Record<string, string>> = {}) => {
      const [code, error] = ERRORS[status] ?? [status * 100, "error"];
      return { status, headers, body: { code, http: status, error, link: "https://ntfy.sh/docs/publish/" } };
    };
    if (this.fault) return refused(this.fault.status, this.fault.headers);
    const { authorization } = this.#options;
    if (authorization !== undefined && request.headers.authorization === undefined) return refused(403);
    if (authorization !== undefined && request.headers.authorization !== authorization) return refused(401);
    if (request.method !== "POST" || request.url !== "/") return refused(404);
    const received = jsonIn(text);
    if (!received || !/^[-_A-Za-z0-9]{1,64}$/.test(received.topic)) return refused(400);
    this.messages.push(received);
    return { status: 200, body: { id: `m${this.messages.length}`, time: 0, event: "message", ...received } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function jsonIn(text: string): Received | null {
  try {
    return JSON.parse(text) as Received;
  } catch {
    return null;
  }
}
