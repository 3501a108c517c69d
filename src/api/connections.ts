/** Connections of the configuration over HTTP: read without secrets, tested, changed, as in the owner's file again. */

import type { ConnectionName } from "../config/connections.ts";
import { isTree } from "../config/tree.ts";
import { languageOf } from "../core/language/language.ts";
import { message, textIn } from "../core/language/text.ts";
import { localError } from "../http/errors.ts";
import type { LocalRequest } from "../http/route.ts";
import { callerOf, edit, editByBody, editedAnswer, refusedEdit, withRevision } from "./configuration.ts";
import { endpoint } from "./endpoint.ts";
import * as parameter from "./parameters.ts";
import {
  anyObject,
  anyValue,
  boolean,
  described,
  list,
  namedObject,
  oneOf,
  orNull,
  text,
  type ValueOf,
} from "./schema.ts";
import { tryConnection } from "./try-connection.ts";

const keySchema = () =>
  namedObject("ConnectionKey", {
    key: described(text, "Path in the configuration, such as `mqtt.url`."),
    value: described(anyValue, "Null if it is not set, and for a secret."),
    is_secret: boolean,
    is_set: boolean,
    outside: described(boolean, "Whether the environment or a file of its own sets it. It can be changed only there."),
    overrides: described(boolean, "Whether `page.yaml` sets it."),
    restart: described(boolean, "Whether a change needs a restart."),
  });
const connectionsSchema = () =>
  namedObject("Connections", {
    fixed: described(orNull(text), "Reason why they cannot be changed here; null if they can."),
    revision: described(text, "Revision for `If-Match`, as for plans."),
    waiting: described(list(text), "Keys that were changed and need a restart."),
    connections: list(
      namedObject("Connection", { id: oneOf(["service", "mqtt", "home_assistant"]), keys: list(keySchema()) }),
    ),
  });
export type SavedConnections = ValueOf<typeof connectionsSchema>;
export type SavedKey = ValueOf<typeof keySchema>;

const trialSchema = () =>
  namedObject("ConnectionTrial", {
    works: boolean,
    problem: orNull(text),
    detail: described(orNull(text), "Result of the test, in the language of the request."),
  });
const body = {
  schema: () =>
    namedObject("ConnectionKeys", {
      keys: described(anyObject, "Values by path of the key. Keys that are left out stay; null removes one."),
    }),
  isCheckedByRun: true,
  example: { keys: { "mqtt.url": "mqtt://192.168.1.10:1883", "mqtt.password": "password-of-elbro" } },
} as const;

export const connectionEndpoints = [
  endpoint("GET /local/v1/connections", "getConnections", "control", {
    summary: "The connections to the service, the broker and Home Assistant, without secrets.",
    answer: connectionsSchema,
    run: ({ connections }) => withRevision(connections.saved()),
  }),
  endpoint("PUT /local/v1/connections/:connection", "saveConnection", "admin", {
    summary:
      "Changes a connection. A stored secret belongs to its server: with another server it is removed unless it is sent again.",
    params: { connection: parameter.connection },
    ...editByBody,
    example: "/local/v1/connections/mqtt",
    body,
    async run({ connections }, { connection }, request) {
      const asked = askedIn(connection, request);
      if ("kind" in asked) return asked;
      return editedAnswer(await connections.change(asked), request);
    },
  }),
  endpoint("POST /local/v1/connections/:connection/test", "testConnection", "admin", {
    summary: "Tests a connection, with changes that are not saved. The rules for secrets are those of a change.",
    params: { connection: parameter.connection },
    ...editByBody,
    answer: trialSchema,
    example: "/local/v1/connections/mqtt/test",
    body,
    async run(source, { connection }, request) {
      const { connections, proxy } = source;
      const asked = askedIn(connection, request);
      if ("kind" in asked) return asked;
      const config = connections.tried(asked);
      if ("kind" in config) return refusedEdit(config);
      const { works, code, facts } = await tryConnection(source, connection, config, { proxy });
      const language = languageOf(request.headers["accept-language"], "en");
      return { kind: "json", body: { works, problem: code, detail: facts.detail && textIn(language, facts.detail) } };
    },
  }),
  endpoint("DELETE /local/v1/connections/:connection", "resetConnection", "admin", {
    summary: "Removes what `page.yaml` says of a connection, so that it is again as in the owner's file.",
    params: { connection: parameter.connection },
    ...edit,
    example: "/local/v1/connections/mqtt",
    async run({ connections }, { connection }, request) {
      return editedAnswer(await connections.reset(connection, callerOf(request)), request);
    },
  }),
];

function askedIn(name: ConnectionName, request: Pick<LocalRequest, "body" | "headers" | "isAdmin">) {
  const given = request.body;
  if (!isTree(given) || !isTree(given.keys)) return localError("invalid_parameter", message("refused.send_keys"));
  return { name, keys: given.keys, caller: callerOf(request) };
}
