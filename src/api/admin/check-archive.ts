/** Checks the archive for `elbro check --online`: logs in and disconnects. */
import type { Config } from "../../config/schema.ts";
import { type CheckResult, checkResultOf } from "./admin-api.ts";

/** Returns the result of the check; null if no archive is configured. */
export async function checkArchive({ archive }: Pick<Config, "archive">): Promise<CheckResult | null> {
  if (!archive) return null;
  const { PostgresArchive } = await import("../../integrations/archive/postgres-archive.ts");
  const part = "archive";
  try {
    (await PostgresArchive.check(archive, new AbortController().signal)).close();
    return checkResultOf(part, null, "PostgreSQL accepts the login");
  } catch (error) {
    return checkResultOf(part, error instanceof Error && error.message ? error.message : "no connection", "");
  }
}
