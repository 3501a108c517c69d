/** Parts of OpenAPI operations that endpoints name. A start loads no code that makes JSON Schemas. */

import { FILE_TYPES } from "../../http/static-files.ts";
import { PAGE_HEADER } from "../auth/session-auth.ts";

export type DocumentPart = Readonly<Record<string, unknown>>;

export const textSchema: DocumentPart = { type: "string" };

export function reference(kind: "schemas" | "responses" | "headers", name: string): DocumentPart {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Media type of a body or response that is a file. */
export const BINARY = { "application/octet-stream": { type: "string", format: "binary" } };

/** Header of a request that only elbro's own page may send. */
export const FROM_PAGE = {
  [PAGE_HEADER]: { about: "Any text. Pages of other servers cannot send this header.", required: true, example: "1" },
} as const;

export const HTML = { "text/html": textSchema };

/** Facts of an endpoint with the files that a page loads. */
export const assetFacts = {
  about: "The file.",
  media: Object.fromEntries(Object.values(FILE_TYPES).map((type) => [type.split(";")[0] ?? type, {}])),
} as const;
