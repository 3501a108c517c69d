/** Client for server-sent events that parses as strictly as the HTML standard. */
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { LAN_KEY } from "../daemon/test-config.ts";

export interface HeardEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ListenOptions {
  readonly lastEventId?: string;
  readonly path?: string;
  readonly key?: string;
  /** Local address that the connection comes from. */
  readonly localAddress?: string;
}

/** Maximum wait for an event. */
const PATIENCE_MS = 5_000;

export class EventListener implements AsyncDisposable {
  readonly events: HeardEvent[] = [];
  readonly comments: string[] = [];
  retryMs: number | null = null;
  /** State of the stream: `clean` if the server ended the response, `broken` if the connection failed. */
  end: "open" | "clean" | "broken" = "open";
  readonly answer: IncomingMessage;
  readonly #request: ClientRequest;
  readonly #waiting = new Set<() => void>();
  #text = "";

  private constructor(request: ClientRequest, answer: IncomingMessage) {
    this.#request = request;
    this.answer = answer;
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => this.#take(text));
    answer.on("end", () => this.#over("clean"));
    answer.on("error", () => this.#over("broken"));
    answer.on("close", () => this.#over("broken"));
  }

  static open(port: number, { lastEventId, path = "/events", key = LAN_KEY, localAddress }: ListenOptions = {}) {
    return new Promise<EventListener>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        accept: "text/event-stream",
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      };
      const request = get({ port, host: "127.0.0.1", path, headers, agent: false, localAddress }, (answer) =>
        resolve(new EventListener(request, answer)),
      );
      request.on("error", reject);
    });
  }

  get status(): number {
    return this.answer.statusCode ?? 0;
  }

  get lastId(): string | undefined {
    return this.events.at(-1)?.id;
  }

  of(type: string): readonly HeardEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  /** Resolves when `holds` returns true. Rejects after 5 s with the types of the received events. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    while (!holds()) {
      if (late.aborted) throw new Error(`never ${what}; heard ${this.events.map(({ type }) => type).join(" ")}`);
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        late.addEventListener("abort", () => resolve());
      });
    }
  }

  ready(): Promise<void> {
    return this.until(() => this.of("ready").length > 0, "ready");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#request.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    for (let end = this.#text.indexOf("\n\n"); end >= 0; end = this.#text.indexOf("\n\n")) {
      this.#block(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 2);
    }
    this.#tell();
  }

  #block(block: string): void {
    const fields: Record<string, string> = {};
    for (const line of block.split("\n")) {
      const at = line.indexOf(":");
      if (at === 0) this.comments.push(line.slice(1));
      if (at <= 0) continue;
      const name = line.slice(0, at);
      if (!["id", "event", "data", "retry"].includes(name)) throw new Error(`no field of an event: ${line}`);
      fields[name] = line.slice(at + 1).replace(/^ /, "");
    }
    if (fields.retry !== undefined) this.retryMs = Number(fields.retry);
    if (fields.data === undefined) return;
    this.events.push({ id: fields.id ?? "", type: fields.event ?? "message", data: JSON.parse(fields.data) });
  }

  #over(how: "clean" | "broken"): void {
    if (this.end === "open") this.end = how;
    this.#tell();
  }

  #tell(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
