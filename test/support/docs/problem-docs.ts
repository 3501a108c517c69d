/** Tables of problems (operations.md) and health codes (monitoring.md). */

import { healthCodes } from "../../../src/api/monitoring/monitoring-schemas.ts";
import { type ProblemRow, problemCatalog } from "../../../src/core/status/problem-catalog.ts";

/** Returns a Markdown table of all problem codes. */
export function problemDocs(): string {
  const rows = Object.entries<ProblemRow>(problemCatalog).map(
    ([code, { meaning, automaticAction, remedy }]) => `| \`${code}\` | ${meaning} | ${automaticAction} | ${remedy} |`,
  );
  return ["| code | meaning | what elbro does | what you can do |", "|---|---|---|---|", ...rows].join("\n");
}

/** Returns a Markdown table of all codes of `/healthz`. */
export function healthDocs(): string {
  const rows = Object.entries(healthCodes).map(([code, text]) => `| \`${code}\` | ${text} |`);
  return ["| code | meaning |", "|---|---|", ...rows].join("\n");
}
