/** Endpoints of the API reference at `/docs/`, a page that shows `openapi.json`. */
import path from "node:path";
import type { LocalRoute } from "../http/route.ts";
import { filesIn, pageHandlers } from "../http/static-files.ts";
import { type Endpoint, endpointFor } from "./endpoint.ts";
import { assetFacts, HTML, routesOf } from "./openapi/operation.ts";

/** Folder of the page's files, next to the built program or to this source file. */
const FOLDER = path.join(import.meta.dirname, "api-docs");

type Pages = ReturnType<typeof pageHandlers>;
const docs = endpointFor<Pages>();
const page = {
  method: "GET",
  scope: "open",
  summary: "API reference page, rendered from this document.",
  about: "The page.",
  media: HTML,
  errors: [],
} as const;

/** Endpoints of the page. Its links are relative, so that a proxy can serve it below any path. */
const docsEndpoints: readonly Endpoint<Pages>[] = [
  docs({
    ...page,
    path: "/docs",
    operationId: "getDocs",
    statuses: { 308: "The page is at `docs/`." },
    example: "/docs",
    run: () => ({ kind: "text", text: "the page is at docs/\n", status: 308, headers: { Location: "docs/" } }),
  }),
  docs({
    ...page,
    path: "/docs/",
    operationId: "getDocsPage",
    example: "/docs/",
    run: (pages, _, it) => pages.page(it),
  }),
  docs({
    ...assetFacts("getDocsAsset"),
    path: "/docs/assets/:digest/:name",
    summary: "A file of that page.",
    example: "/docs/assets/0123456789abcdef/docs.js",
    run: (pages, _, request) => pages.asset(request),
  }),
];

export function docsRoutes(): readonly LocalRoute[] {
  return routesOf(
    docsEndpoints,
    pageHandlers(() => filesIn(FOLDER), "the page"),
  );
}
