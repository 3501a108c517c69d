/** Routes of the API reference at `/docs/`, a page that shows `openapi.json`. */
import path from "node:path";
import type { LocalRoute } from "../http/route.ts";
import { fileOpenApi, filesIn, pageHandlers } from "../http/static-files.ts";
import { htmlResponse } from "./openapi/operation.ts";

/** Folder of the page's files, next to the built program or to this source file. */
const FOLDER = path.join(import.meta.dirname, "api-docs");

/** Returns the routes of the page. Its links are relative, so that a proxy can serve it below any path. */
export function docsRoutes(): readonly LocalRoute[] {
  const { page, asset } = pageHandlers(() => filesIn(FOLDER), "the page");
  return [
    {
      method: "GET",
      path: "/docs",
      scope: "open",
      summary: "API reference page, rendered from this document.",
      openApi: () => ({
        operationId: "getDocs",
        responses: { 200: htmlResponse("The page."), 308: { description: "The page is at `docs/`." } },
      }),
      handle: () => ({ kind: "text", text: "the page is at docs/\n", status: 308, headers: { Location: "docs/" } }),
    },
    {
      method: "GET",
      path: "/docs/",
      scope: "open",
      summary: "API reference page, rendered from this document.",
      handle: page,
    },
    {
      method: "GET",
      path: "/docs/assets/:digest/:name",
      scope: "open",
      summary: "A file of that page.",
      openApi: () => fileOpenApi("getDocsAsset"),
      handle: asset,
    },
  ];
}
