/** Routes that download a copy of the database, and upload one that replaces the database at the next start. */
import { createReadStream, createWriteStream, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { formatInstant } from "../core/time/interval.ts";
import { localError } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest, LocalRoute } from "../http/route.ts";
import type { State } from "../state/open-state.ts";
import { OWNER_ONLY, sync } from "../storage/atomic-file.ts";
import type { Storage } from "../storage/open-storage.ts";
import { copyPathOf, waitingPathOf } from "../storage/recovery.ts";
import { type Json, jsonResponse, reference } from "./openapi/operation.ts";
import { boolean, described, named, object } from "./schema.ts";

const TYPE = "application/octet-stream";
export const BACKUP_PATH = "/local/v1/backup";

/**
 * Maximum size of an upload: many times ten years of a home. Larger files need `elbro restore`, as a request has 8 s.
 */
const MAX_BYTES = 256 * 1024 * 1024;
const BINARY: Json = { type: "string", format: "binary" };
const waiting = () =>
  named(
    "WaitingBackup",
    object({ restart: described(boolean, "Whether an uploaded copy replaces the database at the next start.") }),
  );
const errors = (...statuses: readonly number[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, jsonResponse("Rejected, with the reason.", reference("schemas", "ErrorBody"))]),
  );

interface BackupDeps {
  readonly state: Pick<State, "copyNow" | "flawOfUpload">;
  readonly storage: Pick<Storage, "databasePath">;
}

export function backupRoutes({ state, storage: { databasePath } }: BackupDeps): readonly LocalRoute[] {
  // A second upload must not change the file that is being checked.
  let isTaking = false;
  return [
    {
      method: "GET",
      path: BACKUP_PATH,
      scope: "control",
      summary:
        "A checked copy of the database, made for this request. Keep it private: it holds the hashes of the keys and the usage of the home.",
      openApi: () => ({
        operationId: "getBackup",
        responses: { 200: { description: "The copy.", content: { [TYPE]: { schema: BINARY } } }, ...errors(409) },
      }),
      async handle({ now }) {
        const trouble = await state.copyNow();
        if (trouble !== null) return localError("conflict", `the backup failed: ${trouble}`);
        const name = `elbro-backup-${formatInstant(now).slice(0, "2026-11-21".length)}.db`;
        return {
          kind: "stream",
          type: TYPE,
          headers: { "Content-Disposition": `attachment; filename="${name}"` },
          write: (out) => void pipeline(createReadStream(copyPathOf(databasePath)), out).catch(() => out.destroy()),
        };
      },
    },
    {
      method: "POST",
      path: BACKUP_PATH,
      scope: "control",
      summary:
        "Uploads a copy from `GET /local/v1/backup` or `elbro backup`. It replaces the database at the next start.",
      takesFile: true,
      openApi: () => ({
        operationId: "restoreBackup",
        requestBody: { required: true, content: { [TYPE]: { schema: BINARY } } },
        responses: {
          202: jsonResponse("The copy is valid and replaces the database at the next start.", waiting()),
          ...errors(400, 409, 413, 415),
        },
      }),
      async handle(request) {
        if (isTaking) return localError("conflict", "another copy is being uploaded; try again later");
        isTaking = true;
        try {
          return await taken(databasePath, request, state);
        } finally {
          isTaking = false;
        }
      },
    },
    {
      method: "DELETE",
      path: BACKUP_PATH,
      scope: "control",
      summary: "Deletes an uploaded copy that has not been used yet.",
      openApi: () => ({
        operationId: "forgetBackup",
        responses: { 200: jsonResponse("No uploaded copy remains.", waiting()) },
      }),
      handle() {
        rmSync(waitingPathOf(databasePath), { force: true });
        return { kind: "json", body: { restart: false } };
      },
    },
  ];
}

/** Stores an uploaded file for the next start if it is an intact database of elbro. */
async function taken(
  databasePath: string,
  { file, headers }: LocalRequest,
  state: BackupDeps["state"],
): Promise<LocalAnswer> {
  if (headers["content-type"] !== TYPE) return localError("unsupported_media_type", `send the copy as ${TYPE}`);
  const length = Number(headers["content-length"]);
  if (!file || !(length > 0))
    return localError("invalid_parameter", "expected a copy of the database, found an empty body");
  if (length > MAX_BYTES) return localError("payload_too_large", `the copy is longer than ${MAX_BYTES} bytes`);
  const place = waitingPathOf(databasePath);
  const part = `${place}.part`;
  try {
    await pipeline(file, createWriteStream(part, { mode: OWNER_ONLY }), { end: true });
    const flaw = await state.flawOfUpload(part);
    if (flaw !== null) return localError("invalid_parameter", `this copy cannot be used: ${flaw}`);
    sync(part);
    renameSync(part, place);
    return { kind: "json", status: 202, body: { restart: true } };
  } finally {
    rmSync(part, { force: true });
  }
}
