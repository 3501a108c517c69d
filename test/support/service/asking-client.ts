import type { FetchFailure } from "../../../src/core/fetching/fetch-outcome.ts";
import type { AnswerNotes } from "../../../src/service/client/answer-notes.ts";
import { createClient } from "../../../src/service/client/client.ts";
import { openTransport, type TransportOptions } from "../../../src/service/client/http-transport.ts";
import type { OperationId, ParamsOf, Success } from "../../../src/service/contract/operations.ts";
import { type HashEncoding, thirdPartyToken } from "../../../src/service/third-party-token.ts";
import { newPermit } from "./new-permit.ts";

/** Recognisable keys, so that tests can find them in logs and errors. */
export const CANARY_KEY = "canary-consumer-key-7f3a";
export const CANARY_PARTNER = { apiKey: "canary-third-party-key-51c0", apiSecret: "canary-third-party-secret-e9d2" };

export interface AskedOf<Id extends OperationId> {
  readonly answer: Success<Id> | FetchFailure;
  /** Notes on the response's headers; null if there was no response. */
  readonly notes: AnswerNotes | null;
}

export interface AskingOptions extends TransportOptions {
  readonly consumerKey?: string;
  readonly thirdParty?: { readonly apiKey: string; readonly apiSecret: string };
  readonly hashEncoding?: HashEncoding;
  readonly basePath?: string;
}

/** Opens the client with a real transport to a server of the test. */
export async function openAsking(url: string, options: AskingOptions = {}) {
  const { consumerKey = CANARY_KEY, thirdParty = CANARY_PARTNER, hashEncoding = "hex", basePath = "" } = options;
  const transport = openTransport(url, options);
  const token = thirdPartyToken(thirdParty, hashEncoding);
  const stop = new AbortController();
  const client = createClient({
    account: "consumer",
    get: transport.get,
    basePath,
    userAgent: "elbro/1.2.3",
    authorization: { consumer: `Bearer ${consumerKey}`, thirdParty: `Bearer ${token}` },
    secrets: [consumerKey, thirdParty.apiKey, thirdParty.apiSecret, token],
  });
  return {
    stop,
    async ask<Id extends OperationId>(id: Id, params: ParamsOf<Id>): Promise<AskedOf<Id>> {
      let notes: AnswerNotes | null = null;
      const answer = await client(id, params, {
        permit: newPermit("consumer"),
        signal: stop.signal,
        note: (said) => {
          notes = said;
        },
      });
      return { answer, notes };
    },
    [Symbol.asyncDispose]: async () => transport.close(),
  };
}
