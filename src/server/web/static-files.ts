/**
 * The dashboard as files: read when somebody looks for the first time, compressed once, answered with what lets a
 * browser keep them.
 *
 * The page itself is asked for every time and mostly answered with 304. What it loads stands below a name made of the
 * content of all files, so that a browser keeps it for ever and never mixes two versions.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { codingsFor, holdsTag } from "../http/negotiation.ts";
import type { LocalAnswer } from "../http/response.ts";
import { PAGE_HEADERS } from "../http/security-headers.ts";

/** A file of the dashboard: how the page calls it, and where it is. */
export interface DashboardSource {
  readonly name: string;
  readonly path: string;
}

/** Reads the files when they are first asked for: a house without a screen keeps none of them in memory. */
export function readOnce(sources: () => readonly DashboardSource[]): () => Promise<DashboardFiles> {
  let reading: Promise<DashboardFiles> | null = null;
  return () => {
    reading ??= DashboardFiles.read(sources());
    return reading;
  };
}

/** The files of a folder. */
export function filesIn(folder: string): DashboardSource[] {
  return readdirSync(folder).map((name) => ({ name, path: join(folder, name) }));
}

/** A file as it is answered, in every encoding that a client may take. */
interface Prepared {
  readonly type: string;
  readonly etag: string;
  readonly identity: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
};

/** The page, the one file that is asked for again each time. */
const PAGE = "index.html";
/** What the page calls the folder of everything else; the digest of all files takes its place. */
const FOLDER = "assets/";

const REVALIDATED = "no-cache";
const KEPT_FOR_EVER = "public, max-age=31536000, immutable";
const DIGEST_LENGTH = 16;
/** More gives 2 % less for three times the work. */
const BROTLI_QUALITY = 9;
/** A window of 64 kB is longer than any of the files; the usual one of 4 MB costs its size in memory. */
const BROTLI_WINDOW_BITS = 16;

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

export class DashboardFiles {
  readonly #page: Prepared;
  readonly #assets: ReadonlyMap<string, Prepared>;
  /** Names all files in their present content. */
  readonly digest: string;

  private constructor(digest: string, page: Prepared, assets: ReadonlyMap<string, Prepared>) {
    this.digest = digest;
    this.#page = page;
    this.#assets = assets;
  }

  /** Reads and compresses every file. Errors: rejects where one cannot be read, or the page is not among them. */
  static async read(sources: readonly DashboardSource[]): Promise<DashboardFiles> {
    const files = sources.map(({ name, path }) => ({ name, body: readFileSync(path) }));
    const hash = createHash("sha256");
    for (const { name, body } of files) hash.update(`${name} ${body.length}\n`).update(body);
    const digest = hash.digest("hex").slice(0, DIGEST_LENGTH);
    const page = files.find(({ name }) => name === PAGE);
    if (!page) throw new Error(`the dashboard has no ${PAGE}`);
    const html = page.body.toString("utf8").replaceAll(`"${FOLDER}`, `"${FOLDER}${digest}/`);
    const assets = new Map<string, Prepared>();
    // One after the other: each compression in flight takes megabytes.
    for (const { name, body } of files) if (name !== PAGE) assets.set(name, await prepare(name, body));
    return new DashboardFiles(digest, await prepare(PAGE, Buffer.from(html)), assets);
  }

  /** The page. */
  page(headers: IncomingHttpHeaders): LocalAnswer {
    return answer(this.#page, REVALIDATED, headers);
  }

  /** A file that the page loads; null where there is none of that name, or not in that version. */
  asset(digest: string, name: string, headers: IncomingHttpHeaders): LocalAnswer | null {
    const asset = digest === this.digest ? this.#assets.get(name) : undefined;
    return asset ? answer(asset, KEPT_FOR_EVER, headers) : null;
  }
}

async function prepare(name: string, plain: Buffer): Promise<Prepared> {
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) throw new Error(`the dashboard has a file of an unknown kind: ${name}`);
  const gzipped = await toGzip(plain, { level: 9 });
  const br = await toBrotli(plain, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  });
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, DIGEST_LENGTH)}"`;
  return { type, etag, identity: plain, gzip: gzipped, br };
}

function answer({ type, etag, ...bodies }: Prepared, caching: string, told: IncomingHttpHeaders): LocalAnswer {
  const headers = { ...PAGE_HEADERS, ETag: etag, "Cache-Control": caching, Vary: "Accept-Encoding" };
  if (holdsTag(told["if-none-match"], etag)) return { kind: "text", text: "", status: 304, headers };
  const [coding = "identity"] = codingsFor(told["accept-encoding"]);
  const named: Record<string, string> = coding === "identity" ? {} : { "Content-Encoding": coding };
  return { kind: "bytes", bytes: bodies[coding], type, headers: { ...headers, ...named } };
}
