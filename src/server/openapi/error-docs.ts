import { localErrorTable } from "../http/errors.ts";

/** Table of errors in docs/http-api.md. */
export function errorDocs(): string {
  const rows = Object.entries(localErrorTable)
    .sort(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`);
  return ["| status | `errorCode` | what it means |", "|---|---|---|", ...rows].join("\n");
}
