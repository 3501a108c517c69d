import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const HOT = path.join(import.meta.dirname, "../support/children/hot.ts");

test("the largest compiler is left alone until speed is worth memory, and then also takes what runs already", () => {
  const said = execFileSync(process.execPath, ["--allow-natives-syntax", HOT], { encoding: "utf8" });
  expect(said.trim().split("\n")).toEqual(["maglev", "maglev", "turbofan"]);
});
