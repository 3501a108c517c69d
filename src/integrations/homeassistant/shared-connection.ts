/** The one connection to Home Assistant that statistics and plugs share. It is open while one of them uses it. */
import { type HomeAssistantAccount, HomeAssistantClient } from "./websocket-client.ts";

interface OpenConnection {
  readonly client: Promise<HomeAssistantClient>;
  readonly ending: AbortController;
  users: number;
}

export class SharedConnection {
  readonly #account: HomeAssistantAccount;
  #open: OpenConnection | null = null;

  constructor(account: HomeAssistantAccount) {
    this.#account = account;
  }

  /** Runs `run` with the connection. Rejects with a HomeAssistantError, or when `signal` fires. */
  async use<Result>(run: (client: HomeAssistantClient) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    const connection = this.#connection();
    connection.users++;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await Promise.race([connection.client.then(run), aborted]);
    } finally {
      signal.removeEventListener("abort", abort);
      connection.users--;
      if (connection.users === 0) this.#end(connection);
    }
  }

  #connection(): OpenConnection {
    if (this.#open) return this.#open;
    const ending = new AbortController();
    const client = HomeAssistantClient.connect(this.#account, ending.signal);
    const connection: OpenConnection = { client, ending, users: 0 };
    this.#open = connection;
    client
      .then(({ closed }) => closed)
      .then(
        () => this.#end(connection),
        () => this.#end(connection),
      );
    return connection;
  }

  #end(connection: OpenConnection): void {
    if (this.#open === connection) this.#open = null;
    connection.ending.abort();
  }
}
