/** Checks responses against the schemas of their endpoints. */
import { expect } from "vitest";
import { dashboardEndpoints } from "../../../src/api/dashboard-routes.ts";
import { endpoints } from "../../../src/api/endpoints.ts";
import { monitoringEndpoints } from "../../../src/api/monitoring/monitoring-routes.ts";
import { backupEndpoints } from "../../../src/api/settings/backup.ts";
import { setupEndpoints } from "../../../src/api/setup/setup-routes.ts";

const rows = [endpoints, monitoringEndpoints, dashboardEndpoints, setupEndpoints, backupEndpoints].flat();

/**
 * Returns a response after a check of its JSON: it fits the schema of its endpoint, and the schema describes every
 * field. Responses of other paths and errors are not checked.
 */
export async function checkedAnswer(method: string, url: string, answer: Response): Promise<Response> {
  const path = new URL(url, "http://elbro").pathname;
  const row = rows.find(
    (each) => each.method === method && new RegExp(`^${each.path.replace(/:\w+/g, "[^/]+")}$`).test(path),
  );
  if (!row || !answer.ok || answer.headers.get("content-type") !== "application/json") return answer;
  const other = row.statuses?.[answer.status];
  const schema = typeof other === "object" ? other.schema : answer.status === 201 ? row.created : row.answer;
  if (!schema) return answer;
  const body = (await answer.clone().json()) as unknown;
  const reading = schema().safeParse(body);
  expect(reading.error?.issues ?? [], `${method} ${path}`).toEqual([]);
  expect(reading.data, `${method} ${path} describes every field`).toEqual(body);
  return answer;
}
