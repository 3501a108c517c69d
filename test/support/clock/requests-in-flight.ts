import { subscribe } from "node:diagnostics_channel";

const open = new Set<unknown>();

function requestOf(message: unknown): unknown {
  return (message as { readonly request: unknown }).request;
}

subscribe("undici:request:create", (message) => open.add(requestOf(message)));
subscribe("undici:request:trailers", (message) => open.delete(requestOf(message)));
subscribe("undici:request:error", (message) => open.delete(requestOf(message)));

/** HTTP requests of this process that have no complete response and no error yet. Source: undici's diagnostics channels. */
export const requestsInFlight = {
  get any(): boolean {
    return open.size > 0;
  },
  /** From now on the present requests do not count: their responses never come, or they are streams. */
  forget(): void {
    open.clear();
  },
};
