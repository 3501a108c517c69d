/** The page at `/docs/` that reads `openapi.json` to people. */
import path from "node:path";
import type { LocalRoute } from "../http/route.ts";
import { htmlResponse } from "../openapi/json-schema.ts";
import { fileOpenApi, filesIn, pageHandlers } from "./static-files.ts";

/** Beside the program in what is installed, next to this file among the sources. */
const FOLDER = path.join(import.meta.dirname, "api-docs");

/** The routes of the page. Its links are relative, so that it may stand below any path of a proxy. */
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
