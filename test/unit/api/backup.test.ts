import { existsSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { backupRoutes } from "../../../src/api/backup.ts";
import type { LocalRequest } from "../../../src/http/route.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

test("an upload does not change the file of another one that is being checked", async () => {
  using dir = new TempDir();
  const databasePath = dir.file("elbro.db");
  let finish = (_: string | null) => {};
  const checked = new Promise<string | null>((resolve) => {
    finish = resolve;
  });
  const begun = Promise.withResolvers<string>();
  const state = {
    copyNow: async () => null,
    flawOfUpload(file: string) {
      begun.resolve(readFileSync(file, "utf8"));
      return checked;
    },
  };
  const route = backupRoutes({ state, storage: { databasePath } }).find(({ method }) => method === "POST");
  const upload = (text: string) =>
    route?.handle({
      file: Readable.from([text]),
      isAdmin: () => true,
      url: "/local/v1/backup",
      report: () => undefined,
      headers: { "content-type": "application/octet-stream", "content-length": String(text.length) },
    } as unknown as LocalRequest);
  const first = upload("first");
  expect(await begun.promise).toBe("first");
  expect(await upload("second")).toMatchObject({ kind: "error", code: "conflict" });
  expect(existsSync(`${databasePath}.waiting`)).toBe(false);
  finish(null);
  expect(await first).toMatchObject({ status: 202 });
  expect(readFileSync(`${databasePath}.waiting`, "utf8")).toBe("first");
  expect(await upload("third")).toMatchObject({ status: 202 });
});
