/** Endpoints of the set-up, for the dashboard's own page. They return an error once the home is set up. */
import * as z from "zod/mini";
import { foreignIn, mistaken } from "../../config/editing/edit-refusal.ts";
import { passes } from "../../config/schema/values.ts";
import { connectionNames, connections } from "../../config/settings.ts";
import { treeOf, valueAt } from "../../config/tree.ts";
import { languageOf } from "../../core/language/language.ts";
import { message, type Text, textIn } from "../../core/language/text.ts";
import { MINUTE_MS } from "../../core/time/interval.ts";
import { localError } from "../../http/errors.ts";
import type { LocalRequest, LocalRoute } from "../../http/route.ts";
import { nameAt, sourceOf } from "../../storage/data-source.ts";
import { endpointFor } from "../endpoint.ts";
import { routesOf } from "../endpoint-routes.ts";
import { FROM_PAGE } from "../openapi/openapi-parts.ts";
import { boolean, described, integer, list, named, namedObject, oneOf, orNull, text, type ValueOf } from "../schema.ts";
import { refusedEdit } from "../settings/configuration.ts";
import { completedKeys } from "../settings/settings.ts";
import { type TrialDeps, tryConnection } from "../settings/try-connection.ts";
import { withWholeAddresses } from "../settings/whole-address.ts";
import { finishSetup, type SetupOptions, setupBody } from "./setup.ts";
import { SetupAccess } from "./setup-access.ts";

/** Limit of tests per minute. Each may send a request to the service, which counts it against the quota. */
const MAX_TRIALS_PER_MINUTE = 20;

const trialSchema = () =>
  namedObject("SetupTrial", {
    works: boolean,
    problem: orNull(text),
    detail: described(
      orNull(text),
      "Result of the test, in the language of the request; messages of other programs are as they come.",
    ),
    addresses: described(
      list(namedObject("SetupAddress", { id: text, label: text, address: text, region: text })),
      "Addresses of a key of the service.",
    ),
    suggestions: described(list(text), "Addresses that match the one of a third-party key's request."),
    completed: completedKeys(),
  });
const stateSchema = () =>
  namedObject("Setup", {
    state: described(oneOf(["done", "code", "open"]), "`code`: the code from the log is required first."),
    file: described(orNull(text), "Path of the written file."),
    failure: described(
      orNull(text),
      "Why the home that was set up before could not be started, in the language of the request.",
    ),
  });
const doneSchema = () =>
  namedObject("SetupDone", {
    key: described(text, "The first key of the LAN API, shown only this once."),
    urls: described(list(text), "URL of the dashboard for other devices on the LAN."),
    broker: orNull(namedObject("SetupBroker", { port: integer, username: text, password: text })),
    file: text,
  });

const word = z.string().check(z.minLength(1), z.maxLength(2_000));
const where = z.optional(
  word.check(
    z.maxLength(200),
    passes((value) => value.isWellFormed(), "mistake.expected_printable"),
  ),
);
/** Only texts, so that no value names a file. */
const trialOf = named(
  "SetupTest",
  z.strictObject({
    connection: z.enum(connectionNames),
    keys: z.record(z.string(), word),
    place: z.optional(named("SetupPlace", z.strictObject({ region: where, address: where }))),
  }),
);
const EXAMPLE_KEY = "key-from-the-app";

interface SetupSource {
  readonly options: SetupOptions;
  readonly deps: TrialDeps;
  readonly access: SetupAccess;
  /** Set when a home is set up and the demo is about to end. */
  isFinished: boolean;
  readonly trials: { start: number; count: number };
}

const setup = endpointFor<SetupSource>();
const errors = ["invalid_parameter", "invalid_token", "forbidden", "rate_limited", "conflict"] as const;
const step = { about: "The result.", headers: FROM_PAGE, errors } as const;
export const setupEndpoints = [
  setup("GET /local/v1/setup", "getSetup", "open", {
    summary: "Whether the home can be set up, and whether the caller needs the code from the log.",
    about: "The state of the set-up.",
    answer: stateSchema,
    run: (source, _params, request) => ({ kind: "json", body: stateOf(source, request) }),
  }),
  setup("POST /local/v1/setup/code", "enterSetup", "open", {
    ...step,
    summary: "Allows a browser that has the code from the log to set up the home. Each code works for one browser.",
    body: { schema: () => namedObject("SetupCode", { code: word }), example: { code: "ABCD-EFGH" } },
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
  setup("POST /local/v1/setup/test", "trySetup", "open", {
    ...step,
    summary:
      "Tests a connection with these keys. The service returns the addresses of a key of the app, and what it knows of a place.",
    body: {
      schema: () => trialOf,
      example: { connection: "service", keys: { "consumer.api_key": EXAMPLE_KEY } },
    },
    answer: trialSchema,
    refusal({ access, trials }, request) {
      const refused = access.refusal(request);
      if (refused || !isTooMany(trials, request.now)) return refused;
      return localError("rate_limited", message("refused.setup_many"), 60);
    },
    run: (source, _params, request) => tried(source, request.body, request),
  }),
  setup("POST /local/v1/setup", "finishSetup", "open", {
    ...step,
    summary: "Writes the configuration and a first key, and starts with the configured home.",
    body: {
      schema: () => setupBody,
      example: { keys: { "consumer.api_key": EXAMPLE_KEY, language: "en" }, key_name: "phone" },
    },
    created: doneSchema,
    refusal: ({ access }, request) => access.refusal(request),
    async run(source, _params, { body, now, signal }) {
      const { options, deps } = source;
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
      const service = nameAt(sourceOf(options.config.service.base_url, false), "");
      const done = () => options.onDone(undo, deps.state.repository.requestLog.attemptsAt(service));
      if (end.aborted) done();
      else end.addEventListener("abort", done, { once: true });
      return { kind: "json", status: 201, body: { ...shown, file: options.path } };
    },
  }),
];

/** Returns the routes. Without options, a home is set up already. */
export function setupRoutes(options: SetupOptions | null, deps: TrialDeps): readonly LocalRoute[] {
  if (options) {
    const trials = { start: Number.NEGATIVE_INFINITY, count: 0 };
    const access = new SetupAccess(options.onCode);
    return routesOf(setupEndpoints, { options, deps, access, isFinished: false, trials });
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

/** Tests a connection with entered values. */
async function tried(
  { options, deps }: SetupSource,
  wanted: ValueOf<typeof trialOf>,
  request: Pick<LocalRequest, "headers">,
) {
  const { connection, place = {} } = wanted;
  const whole = await withWholeAddresses(wanted.keys, "", true);
  if (!("values" in whole)) return refusedEdit(whole);
  const { values: keys, completed } = whole;
  const foreign = foreignIn(keys, connections[connection]);
  const entered = treeOf(foreign.length > 0 ? {} : keys);
  const reading = options.readWith({ file: JSON.stringify(entered), overlay: null });
  if (reading.kind === "mistakes" || foreign.length > 0) {
    return refusedEdit(mistaken("invalid_parameter", reading.kind === "mistakes" ? reading.mistakes : foreign));
  }
  const { proxy, config } = options;
  const asked = Object.fromEntries(Object.keys(entered).map((section) => [section, valueAt(reading.config, section)]));
  const { works, code, facts } = await tryConnection(deps, connection, { ...config, ...asked }, { proxy, place });
  const { detail, addresses = [], suggestions = [] } = facts;
  const listed = addresses.map(({ id, label, formattedAddress: address, region }) => ({ id, label, address, region }));
  const body = { works, problem: code, detail: shownIn(request, detail), addresses: listed, suggestions, completed };
  return { kind: "json" as const, body };
}

function stateOf({ options, access, isFinished }: SetupSource, request: LocalRequest): ValueOf<typeof stateSchema> {
  const { path: file } = options;
  const failure = isFinished ? null : shownIn(request, options.failure);
  // The reason may contain addresses and file names of this machine.
  return access.refusal(request) === null ? { state: "open", file, failure } : { state: "code", file, failure: null };
}
