/** Client of Home Assistant's WebSocket API. Source: developer documentation, "WebSocket API". */

import type { WebSocket } from "ws";
import { message as shown, type Text, TextError, textIn } from "../../core/language/text.ts";
import { foreignSources, objectOf, readForeign } from "../../core/text/foreign-text.ts";
import { SECOND_MS } from "../../core/time/interval.ts";

/** Address of Home Assistant, and a token of one of its administrators. */
export interface HomeAssistantAccount {
  /** `http(s)://host:port`, or the URL of the WebSocket: `ws(s)://…`. */
  readonly url: string;
  readonly token: string;
}

/** A command of the API with its fields. */
export interface HomeAssistantCommand {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Reason why a command failed. */
export class HomeAssistantError extends TextError {
  /** `unreachable` usually resolves on its own; `token` and `refused` need the owner. */
  readonly kind: "unreachable" | "token" | "refused";

  constructor(kind: HomeAssistantError["kind"], text: Text) {
    super(text);
    this.kind = kind;
  }
}

const CONNECT_TIMEOUT_MS: number = 10 * SECOND_MS;
/** A small machine reads a month of statistics in 1 s. It takes longer while Home Assistant starts. */
const ANSWER_TIMEOUT_MS: number = 60 * SECOND_MS;

export class HomeAssistantClient {
  readonly #socket: WebSocket;
  /** Commands without a response, by id. Bounded by the caller, which waits for each. */
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #authenticated = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  /** Receivers of events, by the id of the command that subscribed. Bounded by the callers. */
  readonly #subscriptions = new Map<number, (event: unknown) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    // `connect` awaits a failure. A later one rejects the pending commands.
    this.#authenticated.promise.catch(() => undefined);
    socket.on("message", (data) => this.#onMessage(String(data)));
    socket.on("error", (error) => this.#fail(new HomeAssistantError("unreachable", error.message)));
    socket.on("close", () => {
      this.#fail(new HomeAssistantError("unreachable", shown("ha.closed")));
      this.#closed.resolve();
    });
  }

  /** Resolves when the connection has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Connects and logs in. Rejects with a HomeAssistantError. */
  static async connect({ url, token }: HomeAssistantAccount, signal: AbortSignal): Promise<HomeAssistantClient> {
    const { WebSocket } = await import("ws");
    signal.throwIfAborted();
    const socket = new WebSocket(websocketUrl(url), {
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      maxPayload: foreignSources.home_assistant.length,
      perMessageDeflate: false,
    });
    const client = new HomeAssistantClient(socket);
    const close = () => client.close();
    signal.addEventListener("abort", close, { once: true });
    void client.closed.then(() => signal.removeEventListener("abort", close));
    try {
      await client.#logIn(token);
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** Sends a command and returns its result. Rejects with a HomeAssistantError. */
  ask(command: HomeAssistantCommand): Promise<unknown> {
    return this.#ask(++this.#lastId, command);
  }

  /** Subscribes to events, until the connection ends. Rejects with a HomeAssistantError. */
  async subscribe(command: HomeAssistantCommand, onEvent: (event: unknown) => void): Promise<void> {
    const id = ++this.#lastId;
    this.#subscriptions.set(id, onEvent);
    await this.#ask(id, command);
  }

  #ask(id: number, command: HomeAssistantCommand): Promise<unknown> {
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    this.#send({ ...command, id });
    return this.#inTime(pending.promise, ANSWER_TIMEOUT_MS, `no answer to ${command.type}`);
  }

  close(): void {
    this.#socket.terminate();
  }

  async #logIn(token: string): Promise<void> {
    this.#socket.once("message", () => this.#send({ type: "auth", access_token: token }));
    await this.#inTime(this.#authenticated.promise, CONNECT_TIMEOUT_MS, "no answer to the login");
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message), (error) => {
      if (error) this.#fail(new HomeAssistantError("unreachable", error.message));
    });
  }

  #onMessage(text: string): void {
    const reading = readForeign("home_assistant", text);
    if (reading.kind === "mistake") {
      this.#fail(new HomeAssistantError("refused", `its message: ${textIn("en", reading.why)}`));
      this.close();
      return;
    }
    // One that is not an object has no type, so it is ignored.
    const message = objectOf(reading.value) ?? {};
    switch (message.type) {
      case "auth_ok":
        this.#authenticated.resolve();
        break;
      case "auth_invalid":
        this.#fail(new HomeAssistantError("token", String(message.message ?? "the token is rejected")));
        break;
      case "result":
      case "pong":
        this.#onResult(message);
        break;
      case "event":
        this.#subscriptions.get(Number(message.id))?.(message.event);
        break;
    }
  }

  #onResult({ type, id, success, result, error }: Readonly<Record<string, unknown>>): void {
    const pending = this.#pending.get(Number(id));
    if (!pending) return;
    this.#pending.delete(Number(id));
    const { code = "error", message = "" } = objectOf(error) ?? {};
    if (type === "pong" || success === true) pending.resolve(result);
    else pending.reject(refusal(String(code), String(message)));
  }

  #fail(error: HomeAssistantError): void {
    this.#authenticated.reject(error);
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  async #inTime<Result>(result: Promise<Result>, withinMs: number, what: string): Promise<Result> {
    const timeout = setTimeout(() => {
      this.#fail(new HomeAssistantError("unreachable", `${what} within ${withinMs / SECOND_MS} s`));
      this.close();
    }, withinMs);
    try {
      return await result;
    } finally {
      clearTimeout(timeout);
    }
  }
}

/** Returns the URL of the WebSocket: `/api/websocket` below an HTTP URL; a `ws` URL stays as it is. */
export function websocketUrl(url: string): string {
  if (/^wss?:/.test(url)) return url;
  return `${url.replace(/^http/, "ws").replace(/\/+$/, "")}/api/websocket`;
}

function refusal(code: string, message: string): HomeAssistantError {
  if (code === "unauthorized") return new HomeAssistantError("token", shown("ha.not_admin"));
  // A command is unknown while its integration is not loaded.
  if (code === "unknown_command") return new HomeAssistantError("refused", shown("ha.no_recorder"));
  return new HomeAssistantError("refused", `${code}: ${message}`);
}
