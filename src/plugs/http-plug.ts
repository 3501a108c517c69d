/** A plug that is reached over HTTP, without a broker: one request at a time, each bounded in time and number. */
import type { PlugMessage } from "../core/plugs/families/plug-family.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";

/** A plug tells nothing by itself over HTTP: it is asked this often, so that a hand on its button is noticed. */
export const POLL_MS: number = MINUTE_MS;
/** Less than the time after which a command is sent again. */
const TIMEOUT_MS = 5 * SECOND_MS;
/** The state of a device with many channels is a few kB. JSON of nested lists takes sixty times its length to parse. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Requests that wait for the one in flight: a command with its question, and a retry of it. */
const MAX_WAITING = 4;

/** The daemon ends within two seconds. */
const MAX_CLOSING_MS = SECOND_MS;

export interface HttpPlug {
  /** Sends a GET. Returns false if too many are waiting. */
  readonly send: (message: PlugMessage) => boolean;
  /** Waits for what was sent, a second at most, then closes the connection. */
  readonly close: () => Promise<void>;
}

/** Opens a plug. `onAnswer` gets the body of each answer; null for a plug that did not answer. */
export function openHttpPlug(url: string, onAnswer: (body: string | null) => void): HttpPlug {
  // Loaded when there is such a plug: undici is 13 MB.
  const opened = import("../service/client/http-transport.ts").then(({ openTransport }) =>
    openTransport(new URL(url).origin, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES }),
  );
  const { signal } = new AbortController();
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const get = async (path: string) => {
    try {
      const { status, body } = await (await opened).get(path, {}, signal);
      onAnswer(status === 200 && body ? body.toString() : null);
    } catch {
      onAnswer(null);
    }
    waiting--;
  };
  return {
    send({ topic: path }) {
      if (waiting >= MAX_WAITING) return false;
      waiting++;
      last = last.then(() => get(path));
      return true;
    },
    async close() {
      const transport = await opened;
      const deadline = setTimeout(() => transport.close(), MAX_CLOSING_MS);
      await last;
      clearTimeout(deadline);
      transport.close();
    },
  };
}
