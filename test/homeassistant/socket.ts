/** Client of Home Assistant's WebSocket API. Source: its developer documentation, "WebSocket API". */

/** Event of Home Assistant. */
export type HomeAssistantEvent = { readonly event_type: string; readonly data: Readonly<Record<string, unknown>> };

interface Answer {
  readonly id: number;
  readonly event?: HomeAssistantEvent;
  readonly type: string;
  readonly success?: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export class HomeAssistantSocket implements Disposable {
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Map<number, (event: HomeAssistantEvent) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async connect(url: string, token: string): Promise<HomeAssistantSocket> {
    const { promise, resolve, reject } = Promise.withResolvers<HomeAssistantSocket>();
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/api/websocket`);
    const connection = new HomeAssistantSocket(socket);
    socket.addEventListener("close", () => reject(new Error("Home Assistant closed the WebSocket")));
    socket.addEventListener("message", ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.type === "auth_required") socket.send(JSON.stringify({ type: "auth", access_token: token }));
      else if (answer.type === "auth_ok") resolve(connection);
      else if (answer.type === "auth_invalid") reject(new Error("Home Assistant refuses the token"));
      else connection.#answered(answer);
    });
    return promise;
  }

  /** Sends a command. Returns its result. Rejects with Home Assistant's error. */
  ask<Result>(command: { readonly type: string; readonly [field: string]: unknown }): Promise<Result> {
    const id = ++this.#lastId;
    const asked = Promise.withResolvers<unknown>();
    this.#asked.set(id, asked);
    this.#socket.send(JSON.stringify({ ...command, id }));
    return asked.promise as Promise<Result>;
  }

  /** Subscribes to a type of events. Calls `listener` for each of them. */
  async listen(eventType: string, listener: (event: HomeAssistantEvent) => void): Promise<void> {
    this.#listeners.set(this.#lastId + 1, listener);
    await this.ask({ type: "subscribe_events", event_type: eventType });
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #answered({ id, event, success, result, error }: Answer): void {
    if (event) return void this.#listeners.get(id)?.(event);
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (success) asked?.resolve(result);
    else asked?.reject(new Error(`Home Assistant refuses: ${error?.code} ${error?.message}`));
  }
}
