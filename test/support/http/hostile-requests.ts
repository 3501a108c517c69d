import * as fc from "fast-check";

/** Valid values that hostile requests may contain. */
export type HostileWorld = { readonly keys: readonly string[]; readonly addressId: string; readonly plan: string };

/** Request as sent on the wire. `isWhole` is true for well-formed HTTP, which must get a response. */
export type HostileRequest = { readonly bytes: Buffer; readonly isWhole: boolean; readonly method: string };

const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "OPTIONS",
  "PUT",
  "DELETE",
  "PATCH",
  "TRACE",
  "PROPFIND",
  "SEARCH",
  "PURGE",
  "QUERY",
];

const PATHS = [
  "/consumer/v1/me/addresses",
  ...["consumption", "consumption-costs", "solar-export", "solar-export-revenue", "prices", "forecast-prices"].map(
    (series) => `/consumer/v1/me/addresses/{id}/${series}`,
  ),
  "/thirdParty/prices/{text}",
  "/thirdParty/prices/location",
  "/thirdParty/prices/addresses/suggestions/{text}",
  "/thirdParty/prices/addresses/{text}",
  "/thirdParty/prices/charges/location",
  "/thirdParty/prices/charges/location/history",
  "/thirdParty/currentRequestCount",
  ...[
    "/",
    "/events",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi.json",
    "/docs",
    "/docs/",
    "/docs/{text}",
    "/assets/{text}/{text}",
  ],
  ...[
    "now",
    "prices",
    "plans",
    "plans/{plan}",
    "cheap",
    "signal/{plan}",
    "formats/{text}",
    "system",
    "session",
    "session/end",
  ].map((name) => `/local/v1/${name}`),
];

const PARAMETERS = [
  ...["from", "to", "aggregation", "resolution", "latitude", "longitude", "date", "fromDate", "toDate"],
  ...["home", "hours", "ready_by", "code", "format", "days", "key", "token", "__proto__", "constructor", "toString"],
];

const VALUES = [
  ...["2026-03-10T00:00:00Z", "2026-03-29T00:00:00%2B01:00", "2026-10-25T00:00:00+02:00", "0000-01-01T00:00:00Z"],
  ...[
    "9999-12-31T23:59:60Z",
    "275760-09-13T00:00:00Z",
    "-271821-04-20T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "1e9",
    "NaN",
  ],
  ...[
    "hour",
    "day",
    "month",
    "year",
    "fifteenMinutes",
    "home",
    "dishwasher",
    "3",
    "07:00",
    "25:61",
    "0",
    "-1",
    "1e308",
  ],
  ...["56.1", "-91", "Infinity", "0x10", "null", "true", "1".repeat(400), "nordpool", "evcc", "energidataservice"],
  ...[
    "' or 1=1 --",
    "%27%20union%20select%20*%20from%20users--",
    "../../etc/passwd",
    "%2e%2e%2f",
    "#{7*7}",
    "<script>",
  ],
  ...["%00", "%", "%zz", "%C0%AF", "%F0%9F%98%80", "%0d%0aSet-Cookie:%20a=b", "æøå", "\u{1f600}", "a".repeat(3_000)],
];

/** Queries that are valid for some of the paths, so that the tests reach the code behind the validation. */
const GOOD_QUERIES = [
  "from=2026-03-08T00:00:00Z&to=2026-03-10T00:00:00Z&aggregation=hour&resolution=hour",
  "from=2026-03-01T00:00:00Z&to=2026-03-11T00:00:00Z&aggregation=day&resolution=fifteenMinutes",
  "latitude=56.1&longitude=10.2&date=2026-03-10T00:00:00Z&fromDate=2026-01-01T00:00:00Z",
  "home=home&hours=3&ready_by=07:00",
  "home=home&days=2&format=json&code=1",
];

const HEADER_VALUES: Readonly<Record<string, readonly string[]>> = {
  Origin: ["https://evil.test", "null", "http://127.0.0.1", "file://", "x".repeat(500)],
  "Content-Type": [
    "application/json",
    "text/plain",
    "application/json; charset=latin1",
    "multipart/form-data; boundary=a",
    "",
  ],
  "Content-Length": ["0", "5", "99999999999", "-1", "+5", "0x5", "5, 5", "1e1", "a"],
  "Transfer-Encoding": ["chunked", "identity", "xchunked", "chunked, chunked", "gzip, chunked", " chunked", "Chunked"],
  "Content-Encoding": ["gzip", "identity", "br"],
  "Accept-Encoding": ["gzip", "br;q=0", "*", "gzip;q=nonsense, ,,", "identity;q=0, *;q=0"],
  "If-None-Match": ["*", '"a"', 'W/"a", "b"', '"'.repeat(300)],
  Range: ["bytes=0-1", "bytes=-1", "lines=1-2"],
  Expect: ["100-continue", "a-miracle"],
  Upgrade: ["websocket", "h2c"],
  Connection: ["close", "keep-alive", "Upgrade, HTTP2-Settings", "Content-Length"],
  Cookie: ["elbro_session=", `elbro_session=${"a".repeat(43)}`, "a=b; ".repeat(500), "="],
  "X-Ingress-Path": ["/api/hassio_ingress/x", "../"],
  "X-Remote-User-Id": ["admin"],
  "X-Forwarded-For": ["127.0.0.1", "172.30.32.2"],
  "X-Elbro-Page": ["1"],
  "Last-Event-ID": ["1", "-1", "nonsense", "9".repeat(400)],
  "Access-Control-Request-Method": ["GET", "POST", "x y"],
};

const BODIES = [
  ...[
    "{}",
    '{"hours":3}',
    '{"enabled":true,"ready_by":"07:00"}',
    '{"hours":-1}',
    '{"hours":1e999}',
    '{"__proto__":{"a":1}}',
  ],
  ...[
    "[]",
    "null",
    "1",
    '"text"',
    "{",
    "{".repeat(5_000),
    "[".repeat(16_000),
    '{"key":"guess"}',
    "a=b&c=d",
    "\u0000\ufffd",
  ],
];

/** Generates requests: well-formed ones, mangled ones and random bytes. */
export function hostileRequests(world: HostileWorld): fc.Arbitrary<HostileRequest> {
  const odd = fc.string({ maxLength: 40, unit: "binary" });
  const encoded = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...VALUES) },
    { weight: 2, arbitrary: odd.map(encodeURIComponent) },
    { weight: 1, arbitrary: odd.map((value) => value.replace(/[\s#?]/g, encodeURIComponent)) },
  );
  const path = fc.tuple(fc.constantFrom(...PATHS), encoded, encoded).map(([route, one, other]) =>
    route
      .replace("{id}", one.length % 2 ? world.addressId : one)
      .replace("{plan}", one.length % 2 ? world.plan : one)
      .replace("{text}", one)
      .replace("{text}", other),
  );
  const anyPath = fc.oneof(
    { weight: 8, arbitrary: path },
    { weight: 1, arbitrary: encoded.map((value) => `/${value}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "//",
        "/./",
        "/../../x",
        "*",
        "http://127.0.0.1/healthz",
        "ftp://x",
        "/%2e%2e/",
        "/consumer/v1/me/addresses/",
      ),
    },
  );
  const pair = fc
    .tuple(fc.constantFrom(...PARAMETERS, ...PARAMETERS.slice(0, 14)), encoded)
    .map(([name, value]) => `${name}=${value}`);
  const pairs = fc.array(pair, { maxLength: 4 });
  const query = fc
    .tuple(
      fc.option(fc.constantFrom(...GOOD_QUERIES), { freq: 2, nil: null }),
      fc.oneof({ weight: 2, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: pairs }),
    )
    .map(([good, more]) => [...(good === null ? [] : [good]), ...more].join("&"))
    .map((text) => (text === "" ? "" : `?${text}`));
  const header = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(...Object.keys(HEADER_VALUES))
        .chain((name) => fc.constantFrom(...(HEADER_VALUES[name] ?? [""])).map((value) => `${name}: ${value}`)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.string({ maxLength: 10 }), fc.string({ maxLength: 30 }))
        .map(([name, value]) => `${name}: ${value}`),
    },
  );
  const authorization = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...world.keys).map((key) => [`Authorization: Bearer ${key}`]) },
    { weight: 2, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          "Authorization: Bearer guess",
          "Authorization: Basic YTpi",
          "Authorization:",
          `Authorization: Bearer ${"a".repeat(5_000)}`,
        )
        .map((line) => [line]),
    },
  );
  const host = fc.oneof(
    { weight: 12, arbitrary: fc.constant(["Host: 127.0.0.1"]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        [],
        ["Host: evil.test"],
        ["Host: a", "Host: b"],
        ["Host:"],
        ["Host: [::1"],
        ["Host: a b"],
      ),
    },
  );
  const body = fc.option(fc.oneof(fc.constantFrom(...BODIES), fc.json()), { nil: null, freq: 1 });
  const spoken = fc
    .record({
      method: fc.oneof(
        { weight: 6, arbitrary: fc.constant("GET") },
        { weight: 4, arbitrary: fc.constantFrom(...METHODS) },
      ),
      target: fc.tuple(anyPath, query).map(([before, after]) => `${before}${after}`),
      host,
      authorization,
      headers: fc.oneof(fc.constant<string[]>([]), fc.array(header, { maxLength: 4 })),
      body,
    })
    .map((given) => spokenRequest(given));
  const mangled = fc
    .tuple(spoken, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.constantFrom("cut", "insert", "replace"))
    .map(([request, at, bytes, how]) => ({
      ...request,
      isWhole: false,
      bytes: mangle(request.bytes, at, { bytes, how }),
    }));
  const noise = fc
    .uint8Array({ minLength: 1, maxLength: 300 })
    .map((bytes) => ({ bytes: Buffer.from(bytes), isWhole: false, method: "" }));
  return fc.oneof(
    { weight: 16, arbitrary: spoken },
    { weight: 3, arbitrary: mangled },
    { weight: 1, arbitrary: noise },
  );
}

interface Spoken {
  readonly method: string;
  readonly target: string;
  readonly host: readonly string[];
  readonly authorization: readonly string[];
  readonly headers: readonly string[];
  readonly body: string | null;
}

function spokenRequest({ method, target, host, authorization, headers, body }: Spoken): HostileRequest {
  const framed = headers.some((line) => /^(content-length|transfer-encoding|expect)/i.test(line));
  const typed = headers.some((line) => /^content-type/i.test(line));
  const length = body === null || framed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const type = body === null || typed ? [] : ["Content-Type: application/json"];
  const lines = [`${method} ${target} HTTP/1.1`, ...host, ...authorization, ...headers, ...type, ...length];
  const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
  return { bytes, method, isWhole: !framed };
}

function mangle(
  whole: Buffer,
  at: number,
  { bytes, how }: { readonly bytes: Uint8Array; readonly how: string },
): Buffer {
  const place = at % (whole.length + 1);
  const rest = how === "replace" ? place + bytes.length : place;
  return how === "cut"
    ? whole.subarray(0, place)
    : Buffer.concat([whole.subarray(0, place), bytes, whole.subarray(rest)]);
}
