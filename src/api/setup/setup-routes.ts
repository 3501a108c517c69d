/** Routes of the set-up, for the dashboard's own page. They return an error once the home is set up. */
import * as z from "zod/mini";
import { joined } from "../../config/mistake.ts";
import { type Expected, token } from "../../config/values.ts";
import { languageOf } from "../../core/language/language.ts";
import { textIn } from "../../core/language/text.ts";
import { KEY_NAME } from "../../core/text/key-name.ts";
import { MINUTE_MS } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import type { LocalAnswer } from "../../http/response.ts";
import type { LocalRequest, LocalRoute } from "../../http/route.ts";
import { PAGE_HEADER } from "../auth/session-auth.ts";
import { badBody } from "../endpoint.ts";
import { jsonResponse, reference, text as textJson } from "../openapi/operation.ts";
import { boolean, described, integer, list, named, object, oneOf, orNull, type Schema, text } from "../schema.ts";
import { finishSetup, type SetupOptions, type WantedSetup } from "./setup.ts";
import { SetupAccess } from "./setup-access.ts";
import { type Trial, tryExternalBroker, tryHomeAssistant, tryService } from "./setup-trials.ts";

/** Limit of tests per minute. Each may send a request to the service, which counts it against the quota. */
const MAX_TRIALS_PER_MINUTE = 20;

const word = z.string().check(z.minLength(1), z.maxLength(2_000));
const broker = z.strictObject({ url: word, username: z.optional(word), password: z.optional(word) });
const homeAssistant = z.strictObject({ url: word, token: word });
const apiKey = token.check(z.maxLength(2_000));
const bodies = {
  code: z.strictObject({ code: word }),
  service: z.strictObject({ api_key: apiKey }),
  broker,
  homeAssistant,
  finish: z.strictObject({
    api_key: apiKey,
    homes: z.nullable(
      z.array(z.strictObject({ id: word, label: z.string() })).check(z.minLength(1), z.maxLength(1_000)),
    ),
    broker: z.nullable(broker),
    home_assistant: z.nullable(homeAssistant),
    language: word,
    key_name: z.string().check(z.regex(KEY_NAME, "mistake.expected_key_name" satisfies Expected)),
  }),
} as const;

/** Handles an authorized request. */
type Work<Body> = (options: SetupOptions, body: Body, request: LocalRequest) => Promise<LocalAnswer> | LocalAnswer;

export function setupRoutes(options: SetupOptions | null): readonly LocalRoute[] {
  const access = options && new SetupAccess(options.onCode);
  /** Whether a home is set up and the demo is about to end. */
  let isFinished = false;
  const trials = { start: Number.NEGATIVE_INFINITY, count: 0 };
  const isTooMany = (now: number) => {
    if (now - trials.start >= MINUTE_MS || now < trials.start) Object.assign(trials, { start: now, count: 0 });
    return ++trials.count > MAX_TRIALS_PER_MINUTE;
  };
  const route = <Body>(facts: RouteFacts, body: z.ZodMiniType<Body> | null, work: Work<Body>): LocalRoute => ({
    ...facts,
    scope: "open",
    openApi: () => openApiOf(facts),
    async handle(request) {
      if (!options || !access) return isSetUp();
      const refusal = access.refusal(request);
      if (refusal) return refusal;
      if (facts.isTrial && isTooMany(request.now))
        return { ...localError("rate_limited", "too many attempts; try again in a minute"), retryAfterSec: 60 };
      const reading = body?.safeParse(request.body);
      if (body && reading && !reading.success) return badBody(reading.error, request.body, body);
      return work(options, reading?.data as Body, request);
    },
  });
  return [
    {
      method: "GET",
      path: "/local/v1/setup",
      scope: "open",
      summary: "Whether the home can be set up, and whether the caller needs the code from the log.",
      openApi: () => ({
        operationId: "getSetup",
        responses: { 200: jsonResponse("The state of the set-up.", stateSchema()) },
      }),
      handle: (request) => ({
        kind: "json",
        body: stateOf(options && { ...options, failure: isFinished ? null : options.failure }, access, request),
      }),
    },
    {
      method: "POST",
      path: "/local/v1/setup/code",
      scope: "open",
      summary: "Allows a browser that has the code from the log to set up the home. Each code works for one browser.",
      openApi: () => openApiOf({ operationId: "enterSetup", example: { code: "ABCD-EFGH" }, schema: stateSchema }),
      handle(request) {
        if (!access) return isSetUp();
        const reading = bodies.code.safeParse(request.body);
        if (!reading.success) return badBody(reading.error, request.body, bodies.code);
        const cookie = access.enter(reading.data.code, request);
        if (typeof cookie !== "string") return cookie;
        return {
          kind: "json",
          body: { state: "open", file: options?.path ?? null, failure: options?.failure ?? null },
          headers: { "Set-Cookie": cookie },
        };
      },
    },
    route(facts.service, bodies.service, async ({ config, proxy }, { api_key: key }, request) =>
      trialAnswer(await tryService(config.service, key, proxy), request),
    ),
    route(facts.broker, bodies.broker, async ({ readWith, config }, given, request) => {
      const mistake = mistakeIn(readWith(JSON.stringify({ mqtt: given })));
      const mqtt = { ...config.mqtt, ...given } as typeof config.mqtt;
      return mistake ?? trialAnswer(await tryExternalBroker(mqtt), request);
    }),
    route(facts.homeAssistant, bodies.homeAssistant, async ({ readWith }, given, request) => {
      const mistake = mistakeIn(readWith(JSON.stringify({ home_assistant: given })));
      return mistake ?? trialAnswer(await tryHomeAssistant(given), request);
    }),
    route(facts.finish, bodies.finish, async (given, body, { now, signal }) => {
      const { api_key: apiKey, home_assistant, key_name: keyName, homes, language, broker: chosen } = body;
      const wanted = { apiKey, homes, broker: chosen, homeAssistant: home_assistant, language, keyName } as WantedSetup;
      const result = await finishSetup(given, wanted, now);
      if (result.kind === "failed") return localError("conflict", result.reason);
      if (result.kind === "mistakes")
        return {
          ...localError("invalid_parameter", "the resulting configuration would have mistakes"),
          mistakes: result.mistakes,
        };
      // The daemon ends after it has sent the response, or at once if the page is gone.
      const { kind: _, undo, ...shown } = result;
      isFinished = true;
      const end = signal();
      if (end.aborted) given.onDone(undo);
      else end.addEventListener("abort", () => given.onDone(undo), { once: true });
      return { kind: "json", status: 201, body: { ...shown, file: given.path } };
    }),
  ];
}

/** Returns the result of a test in the language of the request. */
function trialAnswer(trial: Trial, { headers }: LocalRequest): LocalAnswer {
  const detail = trial.detail && textIn(languageOf(headers["accept-language"], "en"), trial.detail);
  return { kind: "json", body: { ...trial, detail } };
}

function stateOf(options: SetupOptions | null, access: SetupAccess | null, request: LocalRequest) {
  if (!options || !access) return { state: "done", file: null, failure: null };
  const { path: file, failure } = options;
  // The reason may contain addresses and file names of this machine.
  return access.refusal(request) === null ? { state: "open", file, failure } : { state: "code", file, failure: null };
}

function isSetUp(): LocalError {
  return localError(
    "conflict",
    "the home is already set up: change the configuration file, or plans and plugs on the dashboard",
  );
}

function mistakeIn(reading: ReturnType<SetupOptions["readWith"]>): LocalError | null {
  if (reading.kind === "config") return null;
  return {
    ...localError("invalid_parameter", joined(reading.mistakes.map(({ key, facts }) => ({ key, facts })))),
    mistakes: reading.mistakes,
  };
}

interface RouteFacts {
  readonly method: "POST";
  readonly path: string;
  readonly summary: string;
  readonly operationId: string;
  readonly example: object;
  readonly schema: () => Schema;
  readonly status?: 201;
  /** Whether the route tests a connection. */
  readonly isTrial: boolean;
}

const trial = () => ({
  works: boolean,
  problem: orNull(text),
  detail: described(
    orNull(text),
    "Result of the test, in the language of the request; messages of other programs are as they come.",
  ),
});
const trialSchema = () => named("SetupTrial", object(trial()));
const stateSchema = () =>
  named(
    "Setup",
    object({
      state: described(oneOf(["done", "code", "open"]), "`code`: the code from the log is required first."),
      file: described(orNull(text), "Path of the written file."),
      failure: described(orNull(text), "Why the home that was set up before could not be started, in English."),
    }),
  );
const serviceSchema = () =>
  named(
    "SetupService",
    object({ ...trial(), addresses: list(named("SetupAddress", object({ id: text, label: text, region: text }))) }),
  );
const doneSchema = () =>
  named(
    "SetupDone",
    object({
      key: described(text, "The first key of the LAN API, shown only this once."),
      urls: described(list(text), "URL of the dashboard for other devices on the LAN."),
      broker: orNull(named("SetupBroker", object({ port: integer, username: text, password: text }))),
      file: text,
    }),
  );

const EXAMPLE_KEY = "key-from-the-app";
const facts = {
  service: {
    method: "POST",
    path: "/local/v1/setup/service",
    summary: "Requests the addresses of a key from the service.",
    operationId: "trySetupService",
    example: { api_key: EXAMPLE_KEY },
    schema: serviceSchema,
    isTrial: true,
  },
  broker: {
    method: "POST",
    path: "/local/v1/setup/broker",
    summary: "Tests the connection to a broker.",
    operationId: "trySetupBroker",
    example: { url: "mqtt://192.168.1.10:1883", username: "elbro", password: "password-of-elbro" },
    schema: trialSchema,
    isTrial: true,
  },
  homeAssistant: {
    method: "POST",
    path: "/local/v1/setup/home-assistant",
    summary: "Tests the login to Home Assistant.",
    operationId: "trySetupHomeAssistant",
    example: { url: "http://homeassistant.local:8123", token: "token-of-an-administrator" },
    schema: trialSchema,
    isTrial: true,
  },
  finish: {
    method: "POST",
    path: "/local/v1/setup",
    summary: "Writes the configuration and a first key, and starts with the configured home.",
    operationId: "finishSetup",
    example: {
      ...{ api_key: EXAMPLE_KEY, homes: null, broker: null, home_assistant: null, language: "en", key_name: "phone" },
    },
    schema: doneSchema,
    status: 201,
    isTrial: false,
  },
} as const satisfies Record<string, RouteFacts>;

function openApiOf({
  operationId,
  example,
  schema,
  status,
}: Pick<RouteFacts, "operationId" | "example" | "schema" | "status">) {
  const header = { name: PAGE_HEADER, in: "header", required: true, schema: textJson, example: "1" };
  return {
    operationId,
    parameters: [{ ...header, description: "Any text. Pages of other servers cannot send this header." }],
    requestBody: { required: true, content: { "application/json": { schema: { type: "object" }, example } } },
    responses: {
      [status ?? 200]: jsonResponse("The result.", schema()),
      ...Object.fromEntries([400, 401, 403, 429].map((code) => [code, reference("responses", `Error${code}`)])),
    },
  };
}
