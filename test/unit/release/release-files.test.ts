import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../../package.json" with { type: "json" };
import { billOfMaterials } from "../../../release/bill-of-materials.ts";
import { writeHomeAssistantApp } from "../../../release/home-assistant-app.ts";
import { packageFiles } from "../../../release/package-files.ts";
import { releaseNotes } from "../../../release/release-notes.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const CHANGELOG =
  "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2027-01-01\n\n### Added\n\n- A thing.\n\n## 1.1.0\n\nOld.\n";

describe("notes of a release", () => {
  test("the notes are the section of the version", () => {
    expect(releaseNotes(CHANGELOG, "1.2.0")).toBe("### Added\n\n- A thing.\n");
    expect(releaseNotes(CHANGELOG, "1.1.0")).toBe("Old.\n");
  });

  test.each(["1.2", "1.2.0-beta", "2.0.0", "Unreleased"])("version %s without a section is refused", (version) => {
    expect(() => releaseNotes(CHANGELOG, version)).toThrow(`CHANGELOG.md has no section "## [${version}]" with text`);
  });
});

describe("the package for npm", () => {
  const root = new URL("../../../node_modules/", import.meta.url).pathname;
  const files = packageFiles([
    `${root}preact/dist/preact.mjs`,
    `${root}@preact/signals/dist/signals.mjs`,
    "\0virtual",
    "/src/main.ts",
  ]);
  const notices = files["THIRD-PARTY-NOTICES.txt"] ?? "";

  test("the package installs nothing else, and its command is elbro", () => {
    const { version, bin, dependencies } = JSON.parse(files["package.json"] ?? "");
    expect({ version, bin, dependencies }).toEqual({ version: manifest.version, bin: { elbro: "elbro.cjs" } });
  });

  test("the notices have the licence of every library inside, and of nothing else", () => {
    expect([...notices.matchAll(/^(\S+) \d\S* \(MIT\)$/gm)].map(([, name]) => name)).toEqual([
      "@preact/signals",
      "preact",
    ]);
    expect(notices).toContain("Permission is hereby granted");
  });

  test("the bill of materials names the same libraries", () => {
    const { components } = JSON.parse(billOfMaterials("1.0.0", notices));
    expect(components.map(({ purl }: { purl: string }) => purl.replace(/@[\d.]+$/, ""))).toEqual([
      "pkg:npm/%40preact/signals",
      "pkg:npm/preact",
    ]);
  });
});

test("the published app installs an image by its address, in the store of its repository", () => {
  using dir = new TempDir();
  writeHomeAssistantApp(dir.file("app"), "Somebody/elbro");
  const yaml = (name: string) => parse(readFileSync(dir.file(`app/${name}`), "utf8"));
  expect(yaml("repository.yaml")).toEqual({ name: "elbro", url: "https://github.com/Somebody/elbro" });
  const { version, image, url, schema } = yaml("elbro/config.yaml");
  expect({ version, image, url }).toEqual({
    ...{ version: manifest.version, image: "ghcr.io/somebody/elbro-app", url: "https://github.com/Somebody/elbro" },
  });
  expect(Object.keys(schema)).toContain("plans");
  expect(readFileSync(dir.file("app/elbro/CHANGELOG.md"), "utf8")).toContain("## [");
});
