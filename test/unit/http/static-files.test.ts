import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { pageHeaders } from "../../../src/http/guards/security-headers.ts";
import type { LocalAnswer } from "../../../src/http/response.ts";
import { StaticFiles } from "../../../src/http/static-files.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const PAGE = '<!doctype html><link href="assets/look.css"><script src="assets/app.js"></script>';
const SCRIPT = `export const words = "${"price ".repeat(200)}";`;

function filesOf(script = SCRIPT, ancestors: readonly string[] = []): StaticFiles {
  using dir = new TempDir();
  const texts = { "index.html": PAGE, "app.js": script, "look.css": "body { margin: 0 }", "icon.svg": "<svg/>" };
  const sources = Object.entries(texts).map(([name, text]) => {
    writeFileSync(path.join(dir.path, name), text);
    return { name, path: path.join(dir.path, name) };
  });
  return new StaticFiles(sources, pageHeaders(ancestors));
}

async function bytes(asked: Promise<LocalAnswer> | null): Promise<Extract<LocalAnswer, { kind: "bytes" }>> {
  const answer = await asked;
  if (answer?.kind !== "bytes") throw new Error(`answered ${JSON.stringify(answer)}`);
  return answer;
}

test("the page loads its files from a path with a digest of their content", async () => {
  const files = filesOf();
  const html = Buffer.from((await bytes(files.page({}))).bytes).toString();
  expect(html).toContain(`"assets/${files.digest}/app.js"`);
  expect(html).toContain(`"assets/${files.digest}/look.css"`);
  expect(filesOf(`${SCRIPT}//`).digest).not.toBe(files.digest);
  expect(filesOf().digest).toBe(files.digest);
});

test("the page is revalidated each time, its files never", async () => {
  const files = filesOf();
  expect((await bytes(files.page({}))).headers?.["Cache-Control"]).toBe("no-cache");
  expect((await bytes(files.asset(files.digest, "app.js", {}))).headers?.["Cache-Control"]).toMatch(/immutable/);
});

test("only the named origins may embed a page, besides its own", async () => {
  const policyOf = async (files: StaticFiles) =>
    (await bytes(files.page({}))).headers?.["Content-Security-Policy"]?.split("; ").at(-1);
  expect(await policyOf(filesOf())).toBe("frame-ancestors 'self'");
  expect(await policyOf(filesOf(SCRIPT, ["http://ha.local:8123"]))).toBe("frame-ancestors 'self' http://ha.local:8123");
});

test("a file of another version is not found", async () => {
  const files = filesOf();
  expect(files.asset("0123456789abcdef", "app.js", {})).toBeNull();
  expect(files.asset(files.digest, "index.html", {})).toBeNull();
  expect(files.asset(files.digest, "../package.json", {})).toBeNull();
});

test("each encoding of a file is made once", async () => {
  const files = filesOf();
  const get = (encoding: string) => files.asset(files.digest, "app.js", { "accept-encoding": encoding });
  expect((await bytes(get("br"))).bytes).toBe((await bytes(get("br"))).bytes);
  expect((await bytes(get("br"))).bytes).not.toBe((await bytes(get("gzip"))).bytes);
});

test("a client with the current ETag gets 304, also with a weak tag from a proxy", async () => {
  const files = filesOf();
  const tag = (await bytes(files.page({}))).headers?.ETag ?? "";
  for (const given of [tag, `W/${tag}`, `"other", ${tag}`])
    expect(await files.page({ "if-none-match": given })).toMatchObject({ status: 304 });
  expect(await files.page({ "if-none-match": '"other"' })).toMatchObject({ status: 200 });
  const coded = (await bytes(files.page({ "accept-encoding": "br" }))).headers?.ETag ?? "";
  expect(coded).not.toBe(tag);
  expect(await files.page({ "if-none-match": coded, "accept-encoding": "br" })).toMatchObject({ status: 304 });
});

test("content types are right, and the policy allows no foreign code", async () => {
  const files = filesOf();
  expect((await bytes(files.page({}))).type).toBe("text/html; charset=utf-8");
  expect((await bytes(files.asset(files.digest, "app.js", {}))).type).toBe("text/javascript; charset=utf-8");
  expect((await bytes(files.asset(files.digest, "icon.svg", {}))).type).toBe("image/svg+xml");
  const { headers } = await bytes(files.page({}));
  expect(headers?.["Content-Security-Policy"]).toContain("default-src 'self'");
  expect(headers?.["Content-Security-Policy"]).not.toContain("unsafe");
  expect(headers?.["X-Content-Type-Options"]).toBe("nosniff");
});
