/** Endpoints of the help at `/help/`: the owner's pages of the documentation, which come with the program. */
import path from "node:path";
import type { LocalRoute } from "../http/route.ts";
import { filesIn, pageHandlers } from "../http/static-files.ts";
import { type Endpoint, endpointFor } from "./endpoint.ts";
import { assetFacts, HTML, routesOf } from "./openapi/operation.ts";

/** Folder of the pages: next to the built program, or `dist/help` if the source code runs. */
const FOLDER = path.join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "../../dist" : "", "help");

type Pages = ReturnType<typeof pageHandlers>;
const help = endpointFor<Pages>();
const page = { method: "GET", scope: "open", about: "The page.", media: HTML } as const;

/** Endpoints of the help. Its links are relative, so that a proxy can serve it below any path. */
const helpEndpoints: readonly Endpoint<Pages>[] = [
  help({
    ...page,
    path: "/help",
    operationId: "getHelp",
    summary: "The owner's documentation of this version.",
    statuses: { 308: "The help is at `help/`." },
    errors: [],
    example: "/help",
    run: () => ({ kind: "text", text: "the help is at help/\n", status: 308, headers: { Location: "help/" } }),
  }),
  help({
    ...page,
    path: "/help/",
    operationId: "getHelpIndex",
    summary: "The owner's documentation of this version.",
    errors: [],
    example: "/help/",
    run: (pages, _, request) => pages.page(request),
  }),
  help({
    ...page,
    path: "/help/:page",
    operationId: "getHelpPage",
    summary: "A page of that documentation, such as `plans`.",
    errors: ["resource_not_found"],
    example: "/help/plans",
    run: (pages, _, request) => pages.page(request),
  }),
  help({
    ...assetFacts("getHelpAsset"),
    path: "/help/assets/:digest/:name",
    summary: "The style of those pages.",
    example: "/help/assets/0123456789abcdef/help.css",
    run: (pages, _, request) => pages.asset(request),
  }),
];

export function helpRoutes(): readonly LocalRoute[] {
  return routesOf(
    helpEndpoints,
    pageHandlers(() => filesIn(FOLDER), "the help"),
  );
}
