/**
 * Requests of the golden files, in the order of sending. Quota headers depend on the requests before, so add new
 * requests at the end of their list.
 */
import { GOLDEN_KEYS, GOLDEN_ORIGIN } from "./golden-demo.ts";

export interface GoldenRequest {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  /** Header lines. `{name}` is replaced by a value of an earlier response, here and in the target; see `holds`. */
  readonly headers: readonly string[];
  readonly body?: string;
  /** Values that later requests use, by name: the first group of an expression over headers and body. */
  readonly holds?: Readonly<Record<string, RegExp>>;
  /** Number of times that the request is sent. The last response is compared. */
  readonly times?: number;
  /** Number of events to read from an event stream. */
  readonly events?: number;
  /**
   * Request whose headers do not end. It is sent before all others, because its response comes only after a timeout.
   */
  readonly unfinished?: true;
  /**
   * True if the body is a file of the program or is compared elsewhere. Its length and digest are then not compared.
   */
  readonly isElsewhere?: boolean;
}

const HOST = "Host: 127.0.0.1";
const CONTROL = `Authorization: Bearer ${GOLDEN_KEYS.control}`;
const READ = `Authorization: Bearer ${GOLDEN_KEYS.read}`;
const FEW = `Authorization: Bearer ${GOLDEN_KEYS.few}`;
/** Third-party key of the demo: base64 of the API key and the hexadecimal HMAC with the secret. */
const PARTNER =
  "Authorization: Bearer Z29sZGVuLXBhcnRuZXI6MzllNTcwNWMzNjNkZjk3N2YyYjk5YjY2M2JiMDdmMzYyOGFhZmM2ODVlZmQyNzRkMDZiMmUwZjQ3MzIzYTk0NQ==";
const ORIGIN = `Origin: ${GOLDEN_ORIGIN}`;
const JSON_BODY = "Content-Type: application/json";
const FROM_PAGE = ["X-Elbro-Page: 1", "Sec-Fetch-Site: same-origin"];

const HOME = "/consumer/v1/me/addresses/5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01";
const STUGAN = "/consumer/v1/me/addresses/b7f3a1c4-2f58-4e0d-8a37-93c5d6e8f002";
const NOBODY = "/consumer/v1/me/addresses/00000000-0000-4000-8000-000000000000";
const DAY = "from=2026-06-09T22:00:00Z&to=2026-06-10T22:00:00Z";
const DAY_BEFORE = "from=2026-06-08T22:00:00Z&to=2026-06-09T22:00:00Z";
const TOO_LONG = 20_000;
const MORE_THAN_BODIES_MAY = 16_385;
/** Number of wrong keys after which the address has to wait. */
const MANY_WRONG_KEYS = 8;
const NEW_PLAN = '{"name":"New","home":"home","kind":"window","hours":2,"kwh":1,"from":"20:00","ready_by":"07:00"}';
const ETAG = /^ETag: (.*)$/m;

type More = Omit<GoldenRequest, "name" | "method" | "target" | "headers">;

function get(name: string, target: string, headers: readonly string[] = [], more: More = {}): GoldenRequest {
  return { name, method: "GET", target, headers: [HOST, ...headers], ...more };
}

function head(name: string, target: string, headers: readonly string[] = [], more: More = {}): GoldenRequest {
  return { name, method: "HEAD", target, headers: [HOST, ...headers], ...more };
}

function post(name: string, target: string, headers: readonly string[], body: string, more: More = {}): GoldenRequest {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return { name, method: "POST", target, headers: [HOST, ...headers, length], body, ...more };
}

function other(method: string, name: string, target: string, headers: readonly string[] = []): GoldenRequest {
  return { name, method, target, headers: [HOST, ...headers] };
}

const monitoring = [
  get("healthz", "/healthz"),
  get("healthz with a key", "/healthz", [READ]),
  head("healthz, head alone", "/healthz"),
  get("livez", "/livez"),
  get("metrics", "/metrics", [READ], { isElsewhere: true }),
  get("metrics without a key", "/metrics"),
  get("OpenAPI document", "/openapi.json", [], { isElsewhere: true }),
  get("events without a key", "/events"),
  get("system", "/local/v1/system", [READ]),
  get("diagnostics", "/local/v1/diagnostics", [READ]),
  get("events, the first three", "/events", [READ], { events: 3 }),
  get("events of one home", "/events?home=stugan", [READ], { events: 2 }),
];

const pages = [
  get("dashboard", "/", [], { isElsewhere: true, holds: { asset: /"(assets\/\w+\/look\.css)"/, page: ETAG } }),
  get("dashboard, br", "/", ["Accept-Encoding: gzip, br"], { isElsewhere: true }),
  get("dashboard, unchanged", "/", ["If-None-Match: {page}"], { isElsewhere: true }),
  head("dashboard, head alone", "/", [], { isElsewhere: true }),
  get("file of the dashboard", "/{asset}", ["Accept-Encoding: gzip"], { isElsewhere: true, holds: { file: ETAG } }),
  get("file of the dashboard of another version", "/assets/0123456789abcdef/look.css"),
  get("docs without a slash", "/docs"),
  get("docs", "/docs/", [], { isElsewhere: true, holds: { script: /"(assets\/\w+\/docs\.js)"/ } }),
  get("file of the docs", "/docs/{script}", [], { isElsewhere: true }),
  get("session of nobody", "/local/v1/session"),
  post("log in", "/local/v1/session", [JSON_BODY, ...FROM_PAGE], `{"key":"${GOLDEN_KEYS.control}"}`, {
    holds: { cookie: /^Set-Cookie: ([^;]+)/m },
  }),
  post("log in from elsewhere", "/local/v1/session", [JSON_BODY], `{"key":"${GOLDEN_KEYS.control}"}`),
  get("session of one who is logged in", "/local/v1/session", ["Cookie: {cookie}", ...FROM_PAGE]),
  post("log out", "/local/v1/session/end", ["Cookie: {cookie}", JSON_BODY, ...FROM_PAGE], "{}"),
];

const mirror = [
  get("addresses", "/consumer/v1/me/addresses", [READ], { holds: { addresses: ETAG } }),
  get("addresses, unchanged", "/consumer/v1/me/addresses", [READ, "If-None-Match: {addresses}"]),
  head("addresses, head alone", "/consumer/v1/me/addresses", [READ]),
  get("addresses, gzip", "/consumer/v1/me/addresses", [READ, "Accept-Encoding: gzip"]),
  get("addresses, br", "/consumer/v1/me/addresses", [READ, "Accept-Encoding: br, gzip"]),
  get("addresses, gzip refused", "/consumer/v1/me/addresses", [READ, "Accept-Encoding: gzip;q=0, identity"]),
  get("addresses by an absolute target", "http://127.0.0.1/consumer/v1/me/addresses", [READ]),
  get("prices by the quarter", `${HOME}/prices?${DAY}&resolution=fifteenMinutes`, [READ], {
    holds: { quarters: ETAG },
  }),
  get("prices by the quarter, unchanged", `${HOME}/prices?${DAY}&resolution=fifteenMinutes`, [
    READ,
    "If-None-Match: {quarters}",
  ]),
  get("prices by the quarter, gzip", `${HOME}/prices?${DAY}&resolution=fifteenMinutes`, [
    READ,
    "Accept-Encoding: gzip",
  ]),
  get("prices by the hour", `${HOME}/prices?${DAY}&resolution=hour`, [READ]),
  get("prices, hours of Sweden", `${STUGAN}/prices?${DAY_BEFORE}&resolution=hour`, [READ]),
  get("forecast prices", `${HOME}/forecast-prices`, [READ]),
  get("consumption", `${HOME}/consumption?${DAY_BEFORE}&aggregation=hour`, [READ]),
  get("consumption costs", `${HOME}/consumption-costs?${DAY_BEFORE}&aggregation=day`, [READ]),
  get("solar export", `${HOME}/solar-export?${DAY_BEFORE}&aggregation=hour`, [READ]),
  get("solar export revenue", `${HOME}/solar-export-revenue?${DAY_BEFORE}&aggregation=day`, [READ]),
  get("consumption costs where there are none", `${STUGAN}/consumption-costs?${DAY_BEFORE}&aggregation=day`, [READ]),
  get("consumption of an unknown address", `${NOBODY}/consumption?${DAY}&aggregation=hour`, [READ]),
  get("prices without a range", `${HOME}/prices`, [READ]),
  get("prices of what is no instant", `${HOME}/prices?from=today&to=tomorrow&resolution=hour`, [READ]),
  get("prices from the end", `${HOME}/prices?from=2026-06-10T22:00:00Z&to=2026-06-09T22:00:00Z&resolution=hour`, [
    READ,
  ]),
  get("prices of two years", `${HOME}/prices?from=2024-06-10T22:00:00Z&to=2026-06-09T22:00:00Z&resolution=hour`, [
    READ,
  ]),
  get("addresses without a key", "/consumer/v1/me/addresses"),
  get("addresses with a wrong key", "/consumer/v1/me/addresses", ["Authorization: Bearer wrong"]),
  get("addresses with a key in the URL", "/consumer/v1/me/addresses?api_key=demo"),
  get("request counts", "/thirdParty/currentRequestCount", [PARTNER]),
  get("request counts with a key of the other interface", "/thirdParty/currentRequestCount", [READ]),
  get("request counts without a key", "/thirdParty/currentRequestCount"),
  get("prices of a region, before the service may be asked", "/thirdParty/prices/DK1", [PARTNER]),
  get("charges without a place", "/thirdParty/prices/charges/location?date=2026-06-10T00:00:00Z", [PARTNER]),
];

const local = [
  get("now", "/local/v1/now", [READ]),
  get("now, of one home as a word", "/local/v1/now?home=home&format=text", [READ]),
  get("now, as Accept asks", "/local/v1/now?home=home", [READ, "Accept: text/plain"]),
  get("now, of no home", "/local/v1/now?home=cellar", [READ]),
  get("now, of no name", "/local/v1/now?home=%2e%2e", [READ]),
  get("prices", "/local/v1/prices?home=home", [READ], { holds: { timeline: ETAG } }),
  get("prices, unchanged", "/local/v1/prices?home=home", [READ, "If-None-Match: {timeline}"]),
  get("prices, br", "/local/v1/prices?home=stugan", [READ, "Accept-Encoding: br"]),
  get("prices, of a range too long", "/local/v1/prices?home=home&from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", [
    READ,
  ]),
  get("prices of which home", "/local/v1/prices", [READ]),
  get("plans", "/local/v1/plans", [READ]),
  get("a plan", "/local/v1/plans/car", [READ]),
  get("no plan", "/local/v1/plans/sauna", [READ]),
  get("cheap", "/local/v1/cheap?home=home&hours=3&ready_by=07:00", [READ]),
  get("cheap, JSON", "/local/v1/cheap?home=home&hours=3&ready_by=07:00&format=json", [READ]),
  get("cheap, of no hours", "/local/v1/cheap?home=home&hours=many", [READ]),
  get("signal", "/local/v1/signal/dishwasher", [READ]),
  get("signal, by status", "/local/v1/signal/dishwasher?code=1", [READ]),
  get("signal, JSON", "/local/v1/signal/dishwasher?format=json", [READ]),
  get("signal without a key", "/local/v1/signal/dishwasher"),
  ...["nordpool", "energidataservice", "evcc", "emhass", "predbat"].map((format) =>
    get(`format ${format}`, `/local/v1/formats/${format}?home=home`, [READ]),
  ),
  get("no format", "/local/v1/formats/morse?home=home", [READ]),
  post("change a plan", "/local/v1/plans/car", [CONTROL, JSON_BODY], '{"hours":2,"ready_by":"06:30"}'),
  post("command a plan", "/local/v1/plans/dishwasher", [CONTROL, JSON_BODY], '{"command":"skip"}'),
  post("command a plan what it cannot do", "/local/v1/plans/dishwasher", [CONTROL, JSON_BODY], '{"command":"stop"}'),
  post("change a plan to what cannot be", "/local/v1/plans/car", [CONTROL, JSON_BODY], '{"hours":-1}'),
  post("change a plan by no JSON", "/local/v1/plans/car", [CONTROL, JSON_BODY], "{hours: 2"),
  post("change a plan with a key that may read", "/local/v1/plans/car", [READ, JSON_BODY], '{"hours":2}'),
  post("change a plan as a form", "/local/v1/plans/car", [CONTROL, "Content-Type: text/plain"], '{"hours":2}'),
  post(
    "change a plan, compressed",
    "/local/v1/plans/car",
    [CONTROL, JSON_BODY, "Content-Encoding: gzip"],
    '{"hours":2}',
  ),
  post(
    "change a plan by a long body",
    "/local/v1/plans/car",
    [CONTROL, JSON_BODY],
    `{"hours":"${"2".repeat(MORE_THAN_BODIES_MAY)}"}`,
  ),
];

const door = [
  get("nothing there", "/nowhere", [READ]),
  get("a path that cannot be decoded", "/local/v1/plans/%zz", [READ]),
  other("PATCH", "a method that is not there", "/local/v1/plans/car", [CONTROL]),
  other("DELETE", "a method that nothing has", "/healthz"),
  other("POST", "a method of another path", "/local/v1/now", [CONTROL, "Content-Length: 0"]),
  other("OPTIONS", "options of everything", "*"),
  other("OPTIONS", "options of a path", "/local/v1/now"),
  other("CONNECT", "a tunnel", "example.org:443"),
  other("OPTIONS", "preflight", "/local/v1/plans/car", [
    ORIGIN,
    "Access-Control-Request-Method: POST",
    "Access-Control-Request-Headers: authorization, content-type",
  ]),
  other("OPTIONS", "preflight from a private network", "/local/v1/now", [
    ORIGIN,
    "Access-Control-Request-Method: GET",
    "Access-Control-Request-Private-Network: true",
  ]),
  other("OPTIONS", "preflight of a page that may not", "/local/v1/now", [
    "Origin: https://other.example.org",
    "Access-Control-Request-Method: GET",
  ]),
  get("now, for a page that may read it", "/local/v1/now?home=home&format=text", [READ, ORIGIN]),
  get("now, for a page that may not", "/local/v1/now?home=home&format=text", [
    READ,
    "Origin: https://other.example.org",
  ]),
  post(
    "change a plan from a page that may not",
    "/local/v1/plans/car",
    [CONTROL, JSON_BODY, "Origin: https://other.example.org"],
    '{"hours":2}',
  ),
  { name: "another's name", method: "GET", target: "/healthz", headers: ["Host: evil.example.org"] },
  { name: "no name", method: "GET", target: "/healthz", headers: [] },
  { name: "two names", method: "GET", target: "/healthz", headers: [HOST, "Host: localhost"] },
  get("a target without a slash", "healthz"),
  get("a header without an end", "/healthz", ["no header"]),
  get("long headers", "/healthz", [`X-Long: ${"a".repeat(TOO_LONG)}`]),
  get("a body where none belongs", "/healthz", [`Content-Length: ${MORE_THAN_BODIES_MAY}`]),
  get("headers that never end", "/healthz", [], { unfinished: true }),
  get("more requests than a key may", "/local/v1/now?home=home&format=text", [FEW], { times: 3 }),
  get("more wrong keys than an address may", "/local/v1/now", ["Authorization: Bearer guess"], {
    times: MANY_WRONG_KEYS,
  }),
  get("plugs", "/local/v1/plugs", [READ]),
  get("a plan as it is written", "/local/v1/plans/car/configuration", [READ]),
  get("a plug as it is written, that is not there", "/local/v1/plugs/none/configuration", [READ]),
  post("a plan before it is saved", "/local/v1/plan-preview", [READ, JSON_BODY], NEW_PLAN),
  post(
    "a plan with mistakes",
    "/local/v1/plan-preview",
    [READ, JSON_BODY],
    '{"name":"New","kind":"window","hours":30}',
  ),
  post("save a plan of a demo", "/local/v1/plans", [CONTROL, JSON_BODY], NEW_PLAN),
  post("save a plug with a key that may read", "/local/v1/plugs", [READ, JSON_BODY], "{}"),
  other("DELETE", "delete a plan of a demo", "/local/v1/plans/car", [CONTROL]),
  post("a holiday of a home that is not there", "/local/v1/away/none", [CONTROL, JSON_BODY], '{"away":"off"}'),
  get("holidays", "/local/v1/away", [READ]),
  post("try a plug that is not there", "/local/v1/plugs/none/test", [CONTROL, JSON_BODY], "{}"),
] satisfies GoldenRequest[];

/** Requests that are sent in sequence. */
export const goldenRequests: readonly GoldenRequest[] = [...monitoring, ...pages, ...mirror, ...local, ...door];

const PLACE = "latitude=56.16&longitude=10.2";

/** Requests with one step of the clock between them: the third-party interface accepts one request in 10 s. */
export const thirdPartyRequests: readonly GoldenRequest[] = [
  get("prices of a region", "/thirdParty/prices/DK1", [PARTNER]),
  get("prices at a location", `/thirdParty/prices/location?${PLACE}`, [PARTNER]),
  get("address suggestions", "/thirdParty/prices/addresses/suggestions/Strandvejen", [PARTNER]),
  get("prices at an address", "/thirdParty/prices/addresses/0a3f50c0-0000-32b8-e044-0003ba2c6680", [PARTNER]),
  get("charges at a location", `/thirdParty/prices/charges/location?${PLACE}&date=2026-06-10T00:00:00Z`, [PARTNER]),
  get(
    "charges of a time",
    `/thirdParty/prices/charges/location/history?${PLACE}&fromDate=2026-06-01T00:00:00Z&toDate=2026-06-10T00:00:00Z`,
    [PARTNER],
  ),
  get("prices at no address", "/thirdParty/prices/addresses/unknown-address", [PARTNER]),
];
