import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { backupRoutes } from "../../../src/api/settings/backup.ts";
import type { LocalRequest } from "../../../src/http/route.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

test("one copy is uploaded at a time, across a reload, and only what the import wrote gets its place", async () => {
  using dir = new TempDir();
  const storage = { databasePath: dir.file("elbro.db") };
  const waiting = `${storage.databasePath}.waiting`;
  let finish = (_: string | null) => {};
  const begun = Promise.withResolvers<string>();
  const state = {
    copyNow: async () => null,
    importUpload(file: string, target: string) {
      begun.resolve(readFileSync(file, "utf8"));
      writeFileSync(target, "rows");
      return new Promise<string | null>((resolve) => {
        finish = resolve;
      });
    },
  };
  let id = 0;
  const upload = (text: string) =>
    backupRoutes({ state, storage })
      .find(({ method }) => method === "POST")
      ?.handle({
        file: Readable.from([text]),
        url: "/local/v1/backup",
        requestId: String(id++),
        report: () => undefined,
        headers: { "content-type": "application/octet-stream", "content-length": String(text.length) },
      } as unknown as LocalRequest);
  const first = upload("first");
  expect(await begun.promise).toBe("first");
  // A reload makes the routes again.
  expect(await upload("second")).toMatchObject({ kind: "error", code: "conflict" });
  expect(readdirSync(dir.path).includes("elbro.db.waiting")).toBe(false);
  finish("it has a flaw");
  expect(await first).toMatchObject({ kind: "error", code: "invalid_parameter" });
  expect(readdirSync(dir.path)).toEqual([]);
  const third = upload("third");
  await expect.poll(() => readdirSync(dir.path).length).toBe(2);
  finish(null);
  expect(await third).toMatchObject({ status: 202 });
  expect([readdirSync(dir.path), readFileSync(waiting, "utf8")]).toEqual([["elbro.db.waiting"], "rows"]);
});
