import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fileWatch } from "../../../src/cli/watch.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

test("a changed file is reported, also behind a symbolic link that points to another file", async () => {
  using dir = new TempDir();
  writeFileSync(dir.file("one"), "1");
  writeFileSync(dir.file("two"), "22");
  symlinkSync(dir.file("one"), dir.file("link"));
  let changes = 0;
  let looks = 0;
  const watch = fileWatch(() => changes++, 5);
  watch([dir.file("link")]);
  // Replaces the link in one step, as certbot does, again and again: the first look at the file only remembers it.
  await expect
    .poll(() => {
      symlinkSync(dir.file(looks++ % 2 === 0 ? "two" : "one"), dir.file("next"));
      renameSync(dir.file("next"), dir.file("link"));
      return changes;
    })
    .toBeGreaterThan(0);
  watch([]);
});
