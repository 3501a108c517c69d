/** Pages that come with the program: `/docs/` and `/help/`. Their links are relative: a proxy may move them. */
import path from "node:path";
import type { LocalRoute } from "../http/route.ts";
import { filesIn, pageHandlers } from "../http/static-files.ts";
import { type Endpoint, endpointFor } from "./endpoint.ts";
import { routesOf } from "./endpoint-routes.ts";
import { assetFacts, HTML } from "./openapi/openapi-parts.ts";

type Pages = ReturnType<typeof pageHandlers>;
const page = endpointFor<Pages>();
const facts = { about: "The page.", media: HTML } as const;

interface PageRow {
  readonly path: "/docs" | "/help";
  /** Name of the page in texts. */
  readonly name: string;
  readonly summary: string;
  /** Names of its operations in generated clients. */
  readonly operation: string;
  readonly first: string;
  /** Description and example of a file that it loads. */
  readonly files: string;
  readonly file: string;
}

/** Returns the endpoints of a page: the redirection to it, the page, and its files. */
function endpointsOf({ path, name, summary, operation, first, files, file }: PageRow): readonly Endpoint<Pages>[] {
  const Location = `${path.slice(1)}/`;
  return [
    page(`GET ${path}`, operation, "open", {
      ...facts,
      summary,
      statuses: { 308: `The ${name} is at \`${Location}\`.` },
      run: () => ({ kind: "text", text: `the ${name} is at ${Location}\n`, status: 308, headers: { Location } }),
    }),
    page(`GET ${path}/`, first, "open", {
      ...facts,
      summary,
      run: (pages, _, request) => pages.page(request),
    }),
    page(`GET ${path}/assets/:digest/:name`, `${operation}Asset`, "open", {
      ...assetFacts,
      summary: files,
      example: `${path}/assets/0123456789abcdef/${file}`,
      run: (pages, _, request) => pages.asset(request),
    }),
  ];
}

const docsEndpoints = endpointsOf({
  path: "/docs",
  name: "page",
  operation: "getDocs",
  first: "getDocsPage",
  summary: "API reference page, rendered from this document.",
  files: "A file of that page.",
  file: "docs.js",
});
const helpPage = page("GET /help/:page", "getHelpPage", "open", {
  ...facts,
  summary: "A page of that documentation, such as `plans`.",
  errors: ["resource_not_found"],
  example: "/help/plans",
  run: (pages, _, request) => pages.page(request),
});
const helpEndpoints = endpointsOf({
  path: "/help",
  name: "help",
  operation: "getHelp",
  first: "getHelpIndex",
  summary: "The owner's documentation of this version.",
  files: "The style of those pages.",
  file: "help.css",
}).toSpliced(2, 0, helpPage);

const HERE = import.meta.dirname;
/** Folder of the help: next to the built program, or `dist/help` if the source code runs. */
const HELP = path.join(HERE, import.meta.filename.endsWith(".ts") ? "../../dist" : "", "help");

export function pageRoutes(): readonly LocalRoute[] {
  const docs = pageHandlers(() => filesIn(path.join(HERE, "api-docs")), "refused.no_docs_file");
  const help = pageHandlers(() => filesIn(HELP), "refused.no_help_file");
  return [...routesOf(docsEndpoints, docs), ...routesOf(helpEndpoints, help)];
}
