import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../../package.json" with { type: "json" };
import { addressesOf } from "../../../release/addresses.ts";
import { billOfMaterials } from "../../../release/bill-of-materials.ts";
import { cutVersion, NAMED_IN } from "../../../release/cut-version.ts";
import { writeHomeAssistantApp } from "../../../release/home-assistant-app.ts";
import { packageFiles } from "../../../release/package-files.ts";
import { releaseNotes } from "../../../release/release-notes.ts";
import { addressDocs, blueprintDocs, blueprintFiles } from "../../support/docs/address-docs.ts";
import { pageNames, pageText } from "../../support/docs/docs-pages.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

/** Addresses as package.json has them once elbro is published. */
const PUBLISHED = { repository: "https://github.com/Somebody/elbro", homepage: "https://somebody.github.io/elbro/" };

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

describe("a new version", () => {
  const root = new URL("../../..", import.meta.url).pathname;

  /** A copy of the files that name the version. */
  function sources(dir: TempDir): (name: string) => string {
    for (const name of [...NAMED_IN, "CHANGELOG.md"]) cpSync(`${root}/${name}`, dir.file(name), { recursive: true });
    return (name) => readFileSync(dir.file(name), "utf8");
  }

  test("cutting a version writes it everywhere and gives the unreleased changes its section", () => {
    using dir = new TempDir();
    const read = sources(dir);
    writeFileSync(dir.file("CHANGELOG.md"), CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- A new thing.\n"));
    cutVersion(dir.path, "97.98.99", "2027-01-31");
    const counts = NAMED_IN.map((name) => [name, read(name).split("97.98.99").length - 1]);
    expect(counts).toEqual(NAMED_IN.map((name) => [name, name === "package-lock.json" ? 2 : 1]));
    expect(NAMED_IN.filter((name) => read(name).includes(manifest.version))).toEqual(["package-lock.json"]);
    expect(JSON.parse(read("package-lock.json")).packages[""].version).toBe("97.98.99");
    expect(read("CHANGELOG.md")).toContain("## [Unreleased]\n\n## [97.98.99] - 2027-01-31\n\n- A new thing.\n");
    expect(() => cutVersion(dir.path, "97.98.99", "2027-01-31")).toThrow('already has a section "## [97.98.99]"');
    expect(() => cutVersion(dir.path, "v2", "2027-01-31")).toThrow('"v2" is not a version');
  });

  test("every file names the version of package.json", () => {
    for (const name of NAMED_IN) expect(readFileSync(`${root}/${name}`, "utf8"), name).toContain(manifest.version);
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

describe("addresses", () => {
  const root = new URL("../../..", import.meta.url).pathname;
  const published = addressesOf(PUBLISHED);

  test("as long as package.json has none, no document names one", () => {
    expect(addressesOf({ repository: "", homepage: "" })).toBeNull();
    expect(addressDocs("en", null).match(/not published yet/g)).toHaveLength(5);
    expect(addressDocs("da", null).match(/ikke udgivet endnu/g)).toHaveLength(5);
    expect(blueprintDocs(root, null)).toContain("`charge_car.yaml`");
    expect(blueprintFiles(root, null).filter(({ text }) => text.includes("source_url"))).toEqual([]);
  });

  test("once package.json has them, documents, blueprints and the package name them", () => {
    expect(addressDocs("en", published)).toContain("| `https://github.com/Somebody/elbro#home-assistant` |");
    expect(addressDocs("da", published)).toContain("| `docker pull ghcr.io/somebody/elbro`, ");
    const button = "blueprint_url=https%3A%2F%2Fgithub.com%2FSomebody%2Felbro%2Fblob%2Fmain%2Fconfig%2F";
    expect(blueprintDocs(root, published).split(button)).toHaveLength(6);
    expect(blueprintDocs(root, published)).not.toContain("Not published");
    const sources = blueprintFiles(root, published).map(({ name, text }) => [
      parse(text, { logLevel: "silent" }).blueprint.source_url,
      `${PUBLISHED.repository}/blob/main/${name}`,
    ]);
    for (const [source, wanted] of sources) expect(source).toBe(wanted);
    const manifest = JSON.parse(packageFiles([], published)["package.json"] ?? "");
    expect(manifest.repository.url).toBe("git+https://github.com/Somebody/elbro.git");
  });

  test("an address that the workflows cannot publish to is a mistake", () => {
    expect(() => addressesOf({ ...PUBLISHED, repository: "github:somebody/elbro" })).toThrow(
      'repository in package.json is "github:somebody/elbro", not https://github.com/owner/name',
    );
  });

  test("no page tells to fetch the package or the image by a name that is nobody's yet", () => {
    const fetching = /npx elbro|npm (i|install) (-g|--global) elbro|docker pull elbro|ghcr\.io/;
    expect(pageNames().filter((name) => name !== "docs/publish.md" && fetching.test(pageText(name)))).toEqual(
      addressesOf() ? expect.any(Array) : [],
    );
  });
});

test("the published app installs an image by its address, in the store of its repository", () => {
  using dir = new TempDir();
  writeHomeAssistantApp(dir.file("app"), addressesOf(PUBLISHED));
  const yaml = (name: string) => parse(readFileSync(dir.file(`app/${name}`), "utf8"));
  expect(yaml("repository.yaml")).toEqual({ name: "elbro", url: "https://github.com/Somebody/elbro" });
  const { version, image, url, schema } = yaml("elbro/config.yaml");
  expect({ version, image, url }).toEqual({
    ...{ version: manifest.version, image: "ghcr.io/somebody/elbro-app", url: PUBLISHED.homepage },
  });
  expect(Object.keys(schema)).toContain("plans");
  expect(readFileSync(dir.file("app/elbro/CHANGELOG.md"), "utf8")).toContain("## [");
});
