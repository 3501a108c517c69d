/** Tables of the LAN API in the documentation. All are Markdown without a line break at their ends. */

import { plainTextOf } from "../../../src/api/endpoint.ts";
import { endpoints } from "../../../src/api/endpoints.ts";
import { eventRows } from "../../../src/api/event-source.ts";
import { metricRows } from "../../../src/api/monitoring/metrics.ts";
import { documentationOf, namesIn } from "../../../src/api/parameters.ts";
import { isOptional } from "../../../src/config/schema/schema-nodes.ts";
import { localErrorTable } from "../../../src/http/errors.ts";

/** Returns the tables of endpoints and of their parameters in docs/http-reference.md. */
export function localDocs(): string {
  const requests = endpoints.map((row) => {
    const answers = [plainTextOf(row), "JSON", row.csv && "CSV"].filter(Boolean).join(", ");
    const key = row.scope === "control" || row.scope === "admin" ? ` Needs a key with the scope \`${row.scope}\`.` : "";
    return [`\`${row.method} ${written(row.path)}\``, `${row.summary}${key}`, answers];
  });
  const parameters = endpoints.flatMap(({ path, params: rows }) =>
    Object.entries(rows)
      // `decimal`, a parameter of every CSV, is described in the text.
      .filter(([name]) => !namesIn(path).includes(name) && name !== "decimal")
      .map(([name, schema]) => {
        const { example, about } = documentationOf(schema);
        const must = isOptional(schema) ? "" : " Required.";
        return [`\`${written(path).replace("/local/v1/", "")}\``, `\`${name}=${example}\``, `${about}${must}`];
      }),
  );
  return [table(["request", "response", "as"], requests), table(["of", "parameter", "description"], parameters)].join(
    "\n\n",
  );
}

function written(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

/** Returns the table of errors in docs/http-reference.md. */
export function errorDocs(): string {
  const rows = Object.entries(localErrorTable).sort(([, one], [, other]) => one.status - other.status);
  return table(
    ["status", "`errorCode`", "meaning"],
    rows.map(([code, { status, meaning }]) => [String(status), `\`${code}\``, meaning]),
  );
}

/** Returns the table of events in docs/http-api.md. */
export function eventDocs(): string {
  const rows = [
    {
      type: "hello",
      about: "`version`, `started_at`, `resumed`: true if the missed events follow, false if the current state follows",
    },
    ...eventRows,
    { type: "data", about: "`home`, `series`, `unit`: the rows of a series have changed; read it again" },
    { type: "ready", about: "no fields: the current state or the missed events are complete" },
  ];
  return table(
    ["event", "data"],
    rows.map(({ type, about }) => [`\`${type}\``, about]),
  );
}

/** Returns the table of metrics in docs/monitoring.md. */
export function metricDocs(): string {
  return table(
    ["figure", "kind", "labels", "content"],
    metricRows.map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(" "),
      help,
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lineOf = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [lineOf(head), `|${"---|".repeat(head.length)}`, ...rows.map(lineOf)].join("\n");
}
