/** A plug that is reached over HTTP, without a broker: one request at a time, with limits on time and number. */
import type { PlugMessage } from "../core/plugs/families/plug-family.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";

/** Interval of state requests. Over HTTP, a plug does not report a press of its button by itself. */
export const POLL_MS: number = MINUTE_MS;
/** Less than the time after which a command is sent again. */
const TIMEOUT_MS = 5 * SECOND_MS;
/**
 * Longest response. The state of a device with many channels is a few kB. Parsed JSON of nested lists takes 60 times
 * its length in memory.
 */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Maximum number of requests that wait for the one in flight: a command with its state request, and a retry. */
const MAX_WAITING = 4;

/** Time limit for the pending requests. The daemon ends within 2 s. */
const MAX_CLOSING_MS = SECOND_MS;

export interface HttpPlug {
  /** Sends a GET. Returns false if too many are waiting. */
  readonly send: (message: PlugMessage) => boolean;
  /** Waits up to 1 s for the pending requests, then closes the connection. */
  readonly close: () => Promise<void>;
}

/** Opens a plug. `onAnswer` receives the body of each response; null if it failed or its status is not 200. */
export function openHttpPlug(url: string, onAnswer: (body: string | null) => void): HttpPlug {
  // Loaded only if such a plug exists: undici takes 13 MB.
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
