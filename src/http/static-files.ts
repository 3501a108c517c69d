/**
 * Serves the files of a page. Reads them at the first request.
 *
 * Browsers revalidate the page at each visit, mostly with a 304. Paths of other files contain a digest of all files, so
 * browsers cache them permanently and never mix two versions.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { message, type TextKey } from "../core/language/text.ts";
import { formHeaders } from "./compression.ts";
import { type LocalError, localError } from "./errors.ts";
import { PAGE_HEADERS } from "./guards/security-headers.ts";
import type { LocalAnswer } from "./response.ts";
import { ResponseCache } from "./response-cache.ts";
import type { LocalRequest } from "./route.ts";

/** A file: its name in URLs, and its path on disk. */
export type StaticSource = { readonly name: string; readonly path: string };

type PageRequest = Pick<LocalRequest, "path" | "headers">;

/** Returns the handlers of a page and of its files, which are read at the first request. */
export function pageHandlers(
  sources: () => readonly StaticSource[],
  missingFile: TextKey,
  pageHeaders: Readonly<Record<string, string>> = PAGE_HEADERS,
): Record<"page" | "asset", (request: PageRequest) => Promise<LocalAnswer> | LocalError> & { digest: () => string } {
  let read: StaticFiles | null = null;
  const missing = () => localError("resource_not_found", message(missingFile));
  const files = () => {
    read ??= new StaticFiles(sources(), pageHeaders);
    return read;
  };
  return {
    page: ({ path: { page }, headers }) => files().page(headers, page) ?? missing(),
    asset: ({ path: { digest = "", name = "" }, headers }) => files().asset(digest, name, headers) ?? missing(),
    digest: () => files().digest,
  };
}

export function filesIn(folder: string): StaticSource[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, path: join(folder, name) }));
}

/** A file in memory. Its content never changes. */
type StaticFile = { readonly type: string; readonly version: 1; readonly read: () => Buffer };

export const FILE_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
};

/** Ending of the pages, the only files that browsers revalidate. */
const PAGE = ".html";
const FIRST_PAGE = "index";
/** Folder of the other files in the HTML. The digest is inserted after it. */
const FOLDER = "assets/";

/** The service worker of a page: it may answer for the page, which is two folders above it. */
const WORKER = "worker.js";

const REVALIDATED = "no-cache";
const KEPT_FOR_EVER = "public, max-age=31536000, immutable";
const DIGEST_LENGTH = 16;

export class StaticFiles {
  readonly #files: ReadonlyMap<string, StaticFile>;
  /** Each form of a file is made once; a visit would take 5 ms for all files. Bounded by files and encodings. */
  readonly #forms = new ResponseCache({ minCompressedBytes: 0, maxCompressing: Number.POSITIVE_INFINITY });
  readonly #headers: Readonly<Record<string, string>>;
  /** Digest of the names and contents of all files. */
  readonly digest: string;

  /** Reads every file. Throws if one cannot be read or has an unknown extension. */
  constructor(sources: readonly StaticSource[], headers: Readonly<Record<string, string>> = PAGE_HEADERS) {
    this.#headers = headers;
    const files = sources.map(({ name, path }) => ({ name, body: readFileSync(path) }));
    const hash = createHash("sha256");
    for (const { name, body } of files) hash.update(`${name} ${body.length}\n`).update(body);
    const digest = hash.digest("hex").slice(0, DIGEST_LENGTH);
    const named = (html: Buffer) => Buffer.from(html.toString("utf8").replaceAll(`"${FOLDER}`, `"${FOLDER}${digest}/`));
    this.digest = digest;
    this.#files = new Map(
      files.map(({ name, body }) => [name, staticFile(name, name.endsWith(PAGE) ? named(body) : body)]),
    );
  }

  page(headers: IncomingHttpHeaders, name: string = FIRST_PAGE): Promise<LocalAnswer> | null {
    const page = this.#files.get(`${name}${PAGE}`);
    return page ? this.#answer(`${name}${PAGE}`, page, REVALIDATED, headers) : null;
  }

  asset(digest: string, name: string, headers: IncomingHttpHeaders): Promise<LocalAnswer> | null {
    const asset = digest === this.digest && !name.endsWith(PAGE) ? this.#files.get(name) : undefined;
    return asset ? this.#answer(name, asset, KEPT_FOR_EVER, headers) : null;
  }

  async #answer(name: string, file: StaticFile, caching: string, wanted: IncomingHttpHeaders): Promise<LocalAnswer> {
    const form = await this.#forms.represent(name, file, wanted);
    const scope = name === WORKER ? { "Service-Worker-Allowed": "../../" } : {};
    const headers = { ...this.#headers, ...scope, "Cache-Control": caching, ...formHeaders(form) };
    return { kind: "bytes", bytes: form.body, type: file.type, status: form.status, headers };
  }
}

function staticFile(name: string, body: Buffer): StaticFile {
  const type = FILE_TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) throw new Error(`a file of a page is of an unknown kind: ${name}`);
  return { type, version: 1, read: () => body };
}
