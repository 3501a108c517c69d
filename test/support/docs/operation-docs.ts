/** Table of the service's operations in http-reference.md. */
import { operationIds, operationOf } from "../../../src/service/contract/operations.ts";

/** Returns a Markdown table of all operations. */
export function operationDocs(): string {
  const rows = operationIds.map((id) => {
    const { path, summary } = operationOf(id);
    return `| \`GET ${path}\` | ${summary} |`;
  });
  return ["| request | response |", "|---|---|", ...rows].join("\n");
}
