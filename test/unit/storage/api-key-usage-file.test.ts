import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { KeyUseFile, type KeyUses } from "../../../src/storage/api-key-usage-file.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const counted = fc.record({ start: fc.integer(), count: fc.nat() });
const name = fc.string().filter((text) => text !== "__proto__");
const uses: fc.Arbitrary<KeyUses> = fc.dictionary(name, fc.record({ minute: counted, day: counted }), {
  noNullPrototype: true,
});

test("the usage of keys is read as it was written, and is empty before the first write", async () => {
  using dir = new TempDir();
  const file = new KeyUseFile(dir.path);
  expect(file.read()).toEqual({});
  await fc.assert(
    fc.asyncProperty(uses, fc.boolean(), async (written, isSoon) => {
      if (isSoon) await file.writeSoon(written);
      else file.write(written);
      expect(file.read()).toEqual(written);
    }),
    { numRuns: 30 },
  );
});

test("the usage of a key that is damaged counts as none, and that of the others stays", () => {
  using dir = new TempDir();
  const file = new KeyUseFile(dir.path);
  const good = { minute: { start: 60_000, count: 0 }, day: { start: 0, count: 3 } };
  const bad = [
    { ...good, minute: { start: 60_000, count: -1 } },
    { ...good, day: { start: 0.5, count: 1 } },
    { minute: good.minute },
    null,
  ];
  const path = dir.file("key-use.json");
  writeFileSync(path, JSON.stringify({ ...bad, good }));
  expect(file.read()).toEqual({ good });
  file.write({ good });
  for (const text of ["", "null", readFileSync(path, "utf8").slice(0, 20)]) {
    writeFileSync(path, text);
    expect(file.read()).toEqual({});
  }
});
