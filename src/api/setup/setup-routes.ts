/** Endpoints of the set-up, for the dashboard's own page. They return an error once the home is set up. */
import { joined } from "../../config/mistake.ts";
import { languageOf } from "../../core/language/language.ts";
import { message, type Text, textIn } from "../../core/language/text.ts";
import { MINUTE_MS } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import type { LocalRequest, LocalRoute } from "../../http/route.ts";
import { type Endpoint, endpointFor } from "../endpoint.ts";
import { FROM_PAGE, routesOf } from "../openapi/operation.ts";
import { boolean, described, integer, list, namedObject, oneOf, orNull, text, type ValueOf } from "../schema.ts";
import { setupBodies as bodies, finishSetup, type SetupOptions } from "./setup.ts";
import { SetupAccess } from "./setup-access.ts";
import { type Trial, tryExternalBroker, tryHomeAssistant, tryService, tryThirdParty } from "./setup-trials.ts";

/** Limit of tests per minute. Each may send a request to the service, which counts it against the quota. */
const MAX_TRIALS_PER_MINUTE = 20;

const trial = () => ({
  works: boolean,
  problem: orNull(text),
  detail: described(
    orNull(text),
    "Result of the test, in the language of the request; messages of other programs are as they come.",
  ),
});
const trialSchema = () => namedObject("SetupTrial", trial());
const stateSchema = () =>
  namedObject("Setup", {
    state: described(oneOf(["done", "code", "open"]), "`code`: the code from the log is required first."),
    file: described(orNull(text), "Path of the written file."),
    failure: described(
      orNull(text),
      "Why the home that was set up before could not be started, in the language of the request.",
    ),
  });
const serviceSchema = () =>
  namedObject("SetupService", {
    ...trial(),
    addresses: list(namedObject("SetupAddress", { id: text, label: text, address: text, region: text })),
  });
const thirdPartySchema = () =>
  namedObject("SetupThirdPartyTrial", {
    ...trial(),
    suggestions: described(list(text), "Addresses that match the one of the request."),
  });
const doneSchema = () =>
  namedObject("SetupDone", {
    key: described(text, "The first key of the LAN API, shown only this once."),
    urls: described(list(text), "URL of the dashboard for other devices on the LAN."),
    broker: orNull(namedObject("SetupBroker", { port: integer, username: text, password: text })),
    file: text,
  });

const EXAMPLE_KEY = "key-from-the-app";

interface SetupSource {
  readonly options: SetupOptions;
  readonly access: SetupAccess;
  /** Set when a home is set up and the demo is about to end. */
  isFinished: boolean;
  readonly trials: { start: number; count: number };
}

const setup = endpointFor<SetupSource>();
const errors = ["invalid_parameter", "invalid_token", "forbidden", "rate_limited", "conflict"] as const;
const step = { about: "The result.", headers: FROM_PAGE, errors } as const;
const trialStep = {
  ...step,
  refusal({ access, trials }: SetupSource, request: LocalRequest) {
    const refused = access.refusal(request);
    if (refused || !isTooMany(trials, request.now)) return refused;
    return localError("rate_limited", message("refused.setup_many"), 60);
  },
} as const;

export const setupEndpoints: readonly Endpoint<SetupSource>[] = [
  setup("GET /local/v1/setup", "getSetup", "open", {
    summary: "Whether the home can be set up, and whether the caller needs the code from the log.",
    about: "The state of the set-up.",
    answer: stateSchema,
    run: (source, _params, request) => ({ kind: "json", body: stateOf(source, request) }),
  }),
  setup("POST /local/v1/setup/code", "enterSetup", "open", {
    ...step,
    summary: "Allows a browser that has the code from the log to set up the home. Each code works for one browser.",
    body: { schema: () => bodies.code, example: { code: "ABCD-EFGH" } },
    answer: stateSchema,
    run({ access, options }, _params, request) {
      const cookie = access.enter(request.body.code, request);
      if (typeof cookie !== "string") return cookie;
      return {
        kind: "json",
        body: { state: "open", file: options.path, failure: shownIn(request, options.failure) },
        headers: { "Set-Cookie": cookie },
      };
    },
  }),
  setup("POST /local/v1/setup/service", "trySetupService", "open", {
    ...trialStep,
    summary: "Requests the addresses of a key from the service.",
    body: { schema: () => bodies.service, example: { api_key: EXAMPLE_KEY } },
    answer: serviceSchema,
    async run({ options }, _params, request) {
      return trialAnswer(await tryService(options.config.service, request.body.api_key, options.proxy), request);
    },
  }),
  setup("POST /local/v1/setup/third-party", "trySetupThirdParty", "open", {
    ...trialStep,
    summary: "Tests a third-party key; with an address or a region also whether the service knows the place.",
    body: {
      schema: () => bodies.thirdParty,
      example: { api_key: "key-of-the-pair", api_secret: "secret-of-the-pair", address: "Vesterbrogade 1" },
    },
    answer: thirdPartySchema,
    async run({ options }, _params, request) {
      const { hash_encoding = "hex", api_key, api_secret, ...place } = request.body;
      const account = { api_key, api_secret, hash_encoding, places: [] };
      return trialAnswer(await tryThirdParty(options.config.service, account, options.proxy, place), request);
    },
  }),
  setup("POST /local/v1/setup/broker", "trySetupBroker", "open", {
    ...trialStep,
    summary: "Tests the connection to a broker.",
    body: {
      schema: () => bodies.broker,
      example: { url: "mqtt://192.168.1.10:1883", username: "elbro", password: "password-of-elbro" },
    },
    answer: trialSchema,
    async run({ options }, _params, request) {
      const mistake = mistakeIn(options.readWith({ file: JSON.stringify({ mqtt: request.body }), page: null }));
      const mqtt = { ...options.config.mqtt, ...request.body } as typeof options.config.mqtt;
      return mistake ?? trialAnswer(await tryExternalBroker(mqtt), request);
    },
  }),
  setup("POST /local/v1/setup/home-assistant", "trySetupHomeAssistant", "open", {
    ...trialStep,
    summary: "Tests the login to Home Assistant.",
    body: {
      schema: () => bodies.homeAssistant,
      example: { url: "http://homeassistant.local:8123", token: "token-of-an-administrator" },
    },
    answer: trialSchema,
    async run({ options }, _params, request) {
      const mistake = mistakeIn(
        options.readWith({ file: JSON.stringify({ home_assistant: request.body }), page: null }),
      );
      return mistake ?? trialAnswer(await tryHomeAssistant(request.body), request);
    },
  }),
  setup("POST /local/v1/setup", "finishSetup", "open", {
    ...step,
    summary: "Writes the configuration and a first key, and starts with the configured home.",
    body: {
      schema: () => bodies.finish,
      example: {
        api_key: EXAMPLE_KEY,
        homes: null,
        broker: null,
        home_assistant: null,
        language: "en",
        key_name: "phone",
      },
    },
    created: doneSchema,
    refusal: ({ access }, request) => access.refusal(request),
    async run(source, _params, { body, now, signal }) {
      const { options } = source;
      const result = await finishSetup(options, body, now);
      if (result.kind === "failed") return localError("conflict", result.reason);
      if (result.kind === "mistakes")
        return {
          ...localError("invalid_parameter", message("refused.setup_mistakes")),
          mistakes: result.mistakes,
        };
      // The daemon ends after it has sent the response, or at once if the page is gone.
      const { kind: _, undo, ...shown } = result;
      source.isFinished = true;
      const end = signal();
      if (end.aborted) options.onDone(undo);
      else end.addEventListener("abort", () => options.onDone(undo), { once: true });
      return { kind: "json", status: 201, body: { ...shown, file: options.path } };
    },
  }),
];

/** Returns the routes. Without options, a home is set up already. */
export function setupRoutes(options: SetupOptions | null): readonly LocalRoute[] {
  if (options) {
    const trials = { start: Number.NEGATIVE_INFINITY, count: 0 };
    return routesOf(setupEndpoints, { options, access: new SetupAccess(options.onCode), isFinished: false, trials });
  }
  const done = { kind: "json", body: { state: "done", file: null, failure: null } } as const;
  const refused = localError("conflict", message("refused.setup_done"));
  return routesOf(
    setupEndpoints.map((row) => ({ ...row, run: async () => (row.method === "GET" ? done : refused) })),
    null,
  );
}

function isTooMany(trials: SetupSource["trials"], now: number): boolean {
  if (now - trials.start >= MINUTE_MS || now < trials.start) Object.assign(trials, { start: now, count: 0 });
  return ++trials.count > MAX_TRIALS_PER_MINUTE;
}

/** Returns a text in the language of a request. */
function shownIn({ headers }: Pick<LocalRequest, "headers">, text: Text | null): string | null {
  return text && textIn(languageOf(headers["accept-language"], "en"), text);
}

function trialAnswer<Given extends Trial>(trial: Given, { headers }: Pick<LocalRequest, "headers">) {
  const detail = shownIn({ headers }, trial.detail);
  return { kind: "json" as const, body: { ...trial, detail } };
}

function stateOf({ options, access, isFinished }: SetupSource, request: LocalRequest): ValueOf<typeof stateSchema> {
  const { path: file } = options;
  const failure = isFinished ? null : shownIn(request, options.failure);
  // The reason may contain addresses and file names of this machine.
  return access.refusal(request) === null ? { state: "open", file, failure } : { state: "code", file, failure: null };
}

function mistakeIn(reading: ReturnType<SetupOptions["readWith"]>): LocalError | null {
  if (reading.kind === "config") return null;
  return {
    ...localError("invalid_parameter", joined(reading.mistakes.map(({ key, facts }) => ({ key, facts })))),
    mistakes: reading.mistakes,
  };
}
