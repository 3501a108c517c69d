/** OpenAPI operations of the session routes for browsers. */

import {
  boolean,
  instant,
  jsonResponse,
  list,
  named,
  object,
  orNull,
  reference,
  type Schema,
  text,
} from "../http/json-schema.ts";
import { resolutions } from "../service/contract/resources.ts";
import { PAGE_HEADER } from "./auth/session-auth.ts";

/** Form of a key. Any other text is rejected without a check. */
export const SESSION_KEY_PATTERN = /^\S{1,512}$/;

const house = named(
  "House",
  object({
    version: text,
    time_zone: text,
    homes: list(
      named(
        "HouseHome",
        object({
          id: text,
          name: text,
          address_id: orNull(text),
          resolution: orNull(named("Resolution", { type: "string", enum: resolutions })),
          capabilities: orNull(reference("schemas", "Capabilities")),
        }),
      ),
    ),
  }),
);

const session = named(
  "Session",
  object(
    {
      mode: { type: "string", enum: ["open", "key"] },
      signed_in: boolean,
      key: orNull(text),
      control: boolean,
      can_save: { ...boolean, description: "Whether plans and plugs can be saved; not in the demo." },
      can_set_up: { ...boolean, description: "Whether `/local/v1/setup` can replace the demo by your own home." },
      can_log_out: boolean,
      house: { ...house, description: "Only if the caller may read." },
      now: instant,
    },
    ["house"],
  ),
);

const login = named("Login", object({ key: { type: "string", pattern: SESSION_KEY_PATTERN.source } }));
const loggedIn = named("LoggedIn", object({ signed_in: boolean, key: text, control: boolean }));
const loggedOut = named("LoggedOut", object({ signed_in: boolean }));

const fromPage = {
  name: PAGE_HEADER,
  in: "header",
  required: true,
  description: "Any text. Pages of other servers cannot send this header.",
  example: "1",
  schema: text,
};
const cookie = { "Set-Cookie": { description: "The session `elbro_session`.", schema: text } };
const forbidden = { 403: reference("responses", "Error403") };

export const sessionOpenApi = {
  get: { operationId: "getSession", responses: { 200: jsonResponse("The session.", session) } },
  begin: {
    operationId: "logIn",
    parameters: [fromPage],
    requestBody: {
      required: true,
      content: { "application/json": { schema: login, example: { key: "a-key-of-api.keys" } } },
    },
    responses: {
      200: { ...jsonResponse("The session has begun.", loggedIn), headers: cookie },
      400: reference("responses", "Error400"),
      401: reference("responses", "Error401"),
      ...forbidden,
      429: reference("responses", "Error429"),
    },
  },
  end: {
    operationId: "logOut",
    parameters: [fromPage],
    responses: { 200: { ...jsonResponse("The session has ended.", loggedOut), headers: cookie }, ...forbidden },
  },
} satisfies Readonly<Record<string, Schema>>;
