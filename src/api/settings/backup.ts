/** Routes that download a copy of the database, and upload one that replaces the database at the next start. */

import { chmodSync, createReadStream, createWriteStream, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { message } from "../../core/language/text.ts";
import { formatInstant } from "../../core/time/interval.ts";
import { localError } from "../../http/errors.ts";
import type { LocalAnswer } from "../../http/response.ts";
import type { LocalRequest, LocalRoute } from "../../http/route.ts";
import type { State } from "../../state/open-state.ts";
import { OWNER_ONLY, sync } from "../../storage/atomic-file.ts";
import type { Storage } from "../../storage/open-storage.ts";
import { copyPathOf, waitingPathOf } from "../../storage/recovery/recovery.ts";
import { endpointFor } from "../endpoint.ts";
import { routesOf } from "../endpoint-routes.ts";
import { BINARY } from "../openapi/openapi-parts.ts";
import { boolean, described, namedObject } from "../schema.ts";

const TYPE = "application/octet-stream";
const BACKUP_PATH = "/local/v1/backup";

/** Longest upload: many times ten years of a home. Larger files need `elbro restore`, as a request has 8 s. */
const MAX_BYTES = 256 * 1024 * 1024;
const waiting = () =>
  namedObject("WaitingBackup", {
    restart: described(boolean, "Whether an uploaded copy replaces the database at the next start."),
  });
interface BackupSource {
  readonly state: Pick<State, "copyNow" | "importUpload">;
  readonly storage: Pick<Storage, "databasePath">;
}

/** Storages with an upload in progress. A reload makes the routes again, so they cannot know it. */
const uploading = new WeakSet<BackupSource["storage"]>();

const backup = endpointFor<BackupSource>();

export const backupEndpoints = [
  backup(`GET ${BACKUP_PATH}`, "getBackup", "admin", {
    summary:
      "A checked copy of the database with the keys and `page.yaml`, made for this request. It contains the secrets of `page.yaml`: keep it private.",
    about: "The copy.",
    isLogged: true,
    media: BINARY,
    errors: ["conflict"],
    async run({ state, storage: { databasePath } }, _params, { now }) {
      const trouble = await state.copyNow();
      if (trouble !== null) return localError("conflict", message("refused.backup_failed", { why: trouble }));
      const day = formatInstant(now).slice(0, "2026-11-21".length);
      return {
        kind: "stream",
        type: TYPE,
        headers: { "Content-Disposition": `attachment; filename="elbro-backup-${day}.db"` },
        write: (out) => void pipeline(createReadStream(copyPathOf(databasePath)), out).catch(() => out.destroy()),
      };
    },
  }),
  backup(`POST ${BACKUP_PATH}`, "restoreBackup", "admin", {
    summary:
      "Uploads a copy from `GET /local/v1/backup` or `elbro backup`. Its rows and its `page.yaml` replace the present ones at the next start. Keys, sessions and tokens of feeds stay as they are here.",
    takesFile: true,
    statuses: { 202: { about: "The copy is valid and replaces the database at the next start.", schema: waiting } },
    errors: ["invalid_parameter", "conflict", "payload_too_large", "unsupported_media_type"],
    async run(source, _params, request) {
      if (uploading.has(source.storage)) return localError("conflict", message("refused.backup_busy"));
      uploading.add(source.storage);
      try {
        return await storeUpload(source, request);
      } finally {
        uploading.delete(source.storage);
      }
    },
  }),
  backup(`DELETE ${BACKUP_PATH}`, "forgetBackup", "admin", {
    summary: "Deletes an uploaded copy that has not been used yet.",
    about: "No uploaded copy remains.",
    answer: waiting,
    run({ storage: { databasePath } }) {
      rmSync(waitingPathOf(databasePath), { force: true });
      return { kind: "json", body: { restart: false } };
    },
  }),
];

export function backupRoutes({ state, storage }: BackupSource): readonly LocalRoute[] {
  return routesOf(backupEndpoints, { state, storage });
}

/** Stores the rows of an uploaded file for the next start. Only a file that this program wrote gets its place. */
async function storeUpload(
  { state, storage: { databasePath } }: BackupSource,
  { file, headers, requestId }: Pick<LocalRequest, "file" | "headers" | "requestId">,
): Promise<LocalAnswer> {
  if (headers["content-type"] !== TYPE)
    return localError("unsupported_media_type", message("refused.backup_type", { type: TYPE }));
  const length = Number(headers["content-length"]);
  if (!file || !(length > 0)) return localError("invalid_parameter", message("refused.backup_empty"));
  if (length > MAX_BYTES) return localError("payload_too_large", message("refused.backup_long", { most: MAX_BYTES }));
  const place = waitingPathOf(databasePath);
  const [sent, imported] = [`${place}.${requestId}.sent`, `${place}.${requestId}.imported`];
  try {
    await pipeline(file, createWriteStream(sent, { mode: OWNER_ONLY }), { end: true });
    const flaw = await state.importUpload(sent, imported);
    if (flaw !== null) return localError("invalid_parameter", message("refused.backup_flaw", { why: flaw }));
    chmodSync(imported, OWNER_ONLY);
    sync(imported);
    renameSync(imported, place);
    return { kind: "json", status: 202, body: { restart: true } };
  } finally {
    for (const part of [sent, `${sent}-wal`, `${sent}-shm`, imported]) rmSync(part, { force: true });
  }
}
