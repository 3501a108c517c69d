/** The endpoints of `/local/v1`, in the order of the documentation: each file below has the rows of one subject. */

import type { LocalRoute } from "../http/route.ts";
import { type Endpoint, endpointOpenApi, textOf } from "./endpoint.ts";
import { formatEndpoints } from "./formats.ts";
import { type LocalDeps, localSource } from "./local-source.ts";
import { planEndpoints } from "./plans.ts";
import { priceEndpoints } from "./prices.ts";
import { signalEndpoints } from "./signals.ts";

export const endpoints: readonly Endpoint[] = [
  ...priceEndpoints,
  ...planEndpoints,
  ...signalEndpoints,
  ...formatEndpoints,
];

export function localRoutes(deps: LocalDeps): readonly LocalRoute[] {
  const source = localSource(deps);
  return endpoints.map((row) => {
    const { method, path, scope, summary } = row;
    const handle: LocalRoute["handle"] = (request) => row.answer(source, request);
    return { method, path, scope, summary, handle, openApi: () => endpointOpenApi(row) };
  });
}

/** Tables of endpoints and of their parameters in docs/http-api.md. Shape: Markdown without a line break at its ends. */
export function localDocs(): string {
  const requests = endpoints.map((row) => {
    const answers = [textOf(row), "JSON"].filter(Boolean).join(", ");
    const key = row.scope === "control" ? " Needs a key with the scope `control`." : "";
    return `| \`${row.method} ${written(row.path)}\` | ${row.summary}${key} | ${answers} |`;
  });
  const parameters = endpoints.flatMap(({ path, parameters: rows }) =>
    Object.entries(rows)
      .filter(([, row]) => row.in !== "path")
      .map(([name, { example, about, required }]) => {
        const must = required ? " Must be given." : "";
        return `| \`${written(path).replace("/local/v1/", "")}\` | \`${name}=${example}\` | ${about}${must} |`;
      }),
  );
  return [
    ["| request | what it answers | as |", "|---|---|---|", ...requests],
    ["| of | parameter | what it is |", "|---|---|---|", ...parameters],
  ]
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function written(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}
