/** Routes that download a copy of the database, and upload one that replaces the database at the next start. */

import { constants, createReadStream, createWriteStream, renameSync, rmSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { isDeepStrictEqual } from "node:util";
import { withoutSecrets } from "../config/page-secrets.ts";
import { message } from "../core/language/text.ts";
import { formatInstant } from "../core/time/interval.ts";
import { localError } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest, LocalRoute } from "../http/route.ts";
import type { State } from "../state/open-state.ts";
import { OWNER_ONLY, sync } from "../storage/atomic-file.ts";
import type { Storage } from "../storage/open-storage.ts";
import { filesIn, replaceFiles, withoutAdmin } from "../storage/page-copy.ts";
import { copyPathOf, waitingPathOf } from "../storage/recovery.ts";
import { endpointFor } from "./endpoint.ts";
import { BINARY, routesOf } from "./openapi/operation.ts";
import { boolean, described, namedObject } from "./schema.ts";

const TYPE = "application/octet-stream";
const BACKUP_PATH = "/local/v1/backup";

/** Longest upload: many times ten years of a home. Larger files need `elbro restore`, as a request has 8 s. */
const MAX_BYTES = 256 * 1024 * 1024;
const waiting = () =>
  namedObject("WaitingBackup", {
    restart: described(boolean, "Whether an uploaded copy replaces the database at the next start."),
  });
interface BackupSource {
  readonly state: Pick<State, "copyNow" | "flawOfUpload">;
  readonly storage: Pick<Storage, "databasePath">;
  /** Set during an upload: a second one must not change the file that is being checked. */
  isTaking: boolean;
}

const backup = endpointFor<BackupSource>();

export const backupEndpoints = [
  backup(`GET ${BACKUP_PATH}`, "getBackup", "control", {
    summary:
      "A checked copy of the database with the keys and `page.yaml`, made for this request. Keep it private. Secrets of `page.yaml` need the scope `admin`: without it they are left out, and the name of the file says so.",
    about: "The copy.",
    isLogged: true,
    media: BINARY,
    errors: ["conflict"],
    async run({ state, storage: { databasePath } }, _params, { now, isAdmin, requestId }) {
      const trouble = await state.copyNow();
      if (trouble !== null) return localError("conflict", message("refused.backup_failed", { why: trouble }));
      const copyPath = copyPathOf(databasePath);
      const part = isAdmin() ? null : await copyWithoutSecrets(copyPath, requestId);
      const day = formatInstant(now).slice(0, "2026-11-21".length);
      const name = `elbro-backup-${day}${part === null ? "" : "-without-secrets"}.db`;
      return {
        kind: "stream",
        type: TYPE,
        headers: { "Content-Disposition": `attachment; filename="${name}"` },
        write: (out) =>
          void pipeline(createReadStream(part ?? copyPath), out)
            .catch(() => out.destroy())
            .finally(() => part && rmSync(part, { force: true })),
      };
    },
  }),
  backup(`POST ${BACKUP_PATH}`, "restoreBackup", "control", {
    summary:
      "Uploads a copy from `GET /local/v1/backup` or `elbro backup`. It replaces the database at the next start. Its `page.yaml` and its keys with the scope `admin` are used only from a caller with that scope.",
    takesFile: true,
    statuses: { 202: { about: "The copy is valid and replaces the database at the next start.", schema: waiting } },
    errors: ["invalid_parameter", "conflict", "payload_too_large", "unsupported_media_type"],
    async run(source, _params, request) {
      if (source.isTaking) return localError("conflict", message("refused.backup_busy"));
      source.isTaking = true;
      try {
        return await storeUpload(source, request);
      } finally {
        source.isTaking = false;
      }
    },
  }),
  backup(`DELETE ${BACKUP_PATH}`, "forgetBackup", "control", {
    summary: "Deletes an uploaded copy that has not been used yet.",
    about: "No uploaded copy remains.",
    answer: waiting,
    run({ storage: { databasePath } }) {
      rmSync(waitingPathOf(databasePath), { force: true });
      return { kind: "json", body: { restart: false } };
    },
  }),
];

export function backupRoutes({ state, storage }: Omit<BackupSource, "isTaking">): readonly LocalRoute[] {
  return routesOf(backupEndpoints, { state, storage, isTaking: false });
}

/** Returns the path of a second copy, without the secrets of page.yaml; null if the first one has none. */
async function copyWithoutSecrets(copyPath: string, requestId: string): Promise<string | null> {
  const files = filesIn(copyPath);
  const open = files.flatMap(({ name, text }) => {
    const rest = withoutSecrets(text);
    return rest ? { name, text: rest } : [];
  });
  if (isDeepStrictEqual(open, files)) return null;
  const part = `${copyPath}.${requestId}`;
  try {
    await copyFile(copyPath, part, constants.COPYFILE_FICLONE);
    replaceFiles(part, open);
    return part;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Stores an uploaded file for the next start if it is an intact database of elbro. */
async function storeUpload(
  { state, storage: { databasePath } }: BackupSource,
  { file, headers, isAdmin }: Pick<LocalRequest, "file" | "headers" | "isAdmin">,
): Promise<LocalAnswer> {
  if (headers["content-type"] !== TYPE)
    return localError("unsupported_media_type", message("refused.backup_type", { type: TYPE }));
  const length = Number(headers["content-length"]);
  if (!file || !(length > 0)) return localError("invalid_parameter", message("refused.backup_empty"));
  if (length > MAX_BYTES) return localError("payload_too_large", message("refused.backup_long", { most: MAX_BYTES }));
  const place = waitingPathOf(databasePath);
  const part = `${place}.part`;
  try {
    await pipeline(file, createWriteStream(part, { mode: OWNER_ONLY }), { end: true });
    const flaw = await state.flawOfUpload(part);
    if (flaw !== null) return localError("invalid_parameter", message("refused.backup_flaw", { why: flaw }));
    if (!isAdmin()) withoutAdmin(part);
    sync(part);
    renameSync(part, place);
    return { kind: "json", status: 202, body: { restart: true } };
  } finally {
    rmSync(part, { force: true });
  }
}
