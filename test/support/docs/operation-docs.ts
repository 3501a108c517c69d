/** Table of the service's operations, as the mirror answers them, in http-api.md. */
import { operationIds, operationOf } from "../../../src/service/contract/operations.ts";

/** Markdown: every operation. */
export function operationDocs(): string {
  const rows = operationIds.map((id) => {
    const { path, summary } = operationOf(id);
    return `| \`GET ${path}\` | ${summary} |`;
  });
  return ["| request | what it answers |", "|---|---|", ...rows].join("\n");
}
