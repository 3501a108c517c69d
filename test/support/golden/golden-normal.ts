/** Replaces the parts of a response that differ between starts, each with its reason. All other parts are compared. */
import type { Answer } from "./golden-answer.ts";
import type { GoldenRequest } from "./golden-requests.ts";

type Normalisation = { readonly pattern: RegExp; readonly stands: string; readonly why: string };

const HEADERS: readonly Normalisation[] = [
  { pattern: /^(Date): \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/, stands: "$1: <date>", why: "the machine's time" },
  {
    pattern: /^(X-Request-ID): [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    stands: "$1: <uuid>",
    why: "another with every answer",
  },
  { pattern: /^(Set-Cookie: \w+=)[\w-]{43};/, stands: "$1<token>;", why: "drawn by the system's own random numbers" },
];

/** Headers of responses whose body is compressed, normalised, or not compared here. */
const BODY_HEADERS: readonly Normalisation[] = [
  {
    pattern: /^(Content-Length): \d+$/,
    stands: "$1: <length>",
    why: "depends on what varies, or on the version of zlib",
  },
];

/** Headers of responses whose body is a file of the program. */
const FILE_HEADERS: readonly Normalisation[] = [
  { pattern: /^(ETag): "[\w-]+"$/, stands: '$1: "<digest>"', why: "the digest of a file that this is not about" },
];

const BODY: readonly Normalisation[] = [
  { pattern: /^(id: )[0-9a-f]{8}(-)/gm, stands: "$1<life>$2", why: "names the life of a daemon, by random numbers" },
  { pattern: /"machine": \{.*?\n {2}\}/s, stands: '"machine": "<machine>"', why: "its versions, zone and uptime" },
  { pattern: /127\.0\.0\.1:\d+/g, stands: "127.0.0.1:<port>", why: "a free port of the simulator" },
  { pattern: /("page_digest": ?)"\w{16}"/g, stands: '$1"<digest>"', why: "another with each change of the page" },
  { pattern: /("node": ?)"[\d.]+"/g, stands: '$1"<version>"', why: "the Node of the machine" },
  { pattern: /("(?:rss|heap_used|heap_total|external)_bytes": ?)\d+/g, stands: "$1<bytes>", why: "memory" },
  { pattern: /("(?:bytes|log_bytes|row_changes)": ?)\d+/g, stands: "$1<figure>", why: "how the database was written" },
  { pattern: /("(?:published|connections)": ?)\d+/g, stands: "$1<figure>", why: "how topics were gathered before" },
];

function normal(text: string, table: readonly Normalisation[]): string {
  return table.reduce((before, { pattern, stands }) => before.replace(pattern, stands), text);
}

/** Returns the response with its variable parts replaced. */
export function normalised({ status, headers, body }: Answer, { isElsewhere = false }: GoldenRequest): Answer {
  const normalBody = isElsewhere ? "" : normal(body, BODY);
  const isCompressed = headers.some((line) => line.startsWith("Content-Encoding: "));
  const table = [
    ...HEADERS,
    ...(isCompressed || normalBody !== body ? BODY_HEADERS : []),
    ...(isElsewhere ? FILE_HEADERS : []),
  ];
  return { status, headers: headers.map((line) => normal(line, table)), body: normalBody };
}
