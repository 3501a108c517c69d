import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const DASHBOARD = new URL("../../../src/dashboard/", import.meta.url);
const WIDTH_AT = 16;

test("the manifest of the installed page names icons of the stated sizes, and one for Apple", () => {
  const { icons } = JSON.parse(readFileSync(new URL("app.webmanifest", DASHBOARD), "utf8"));
  const sizes = icons.slice(1).map(({ src }: { src: string }) => {
    const png = readFileSync(new URL(src, DASHBOARD));
    return [src, `${png.readUInt32BE(WIDTH_AT)}x${png.readUInt32BE(WIDTH_AT + 4)}`];
  });
  expect(sizes).toEqual(icons.slice(1).map(({ src, sizes: stated }: { src: string; sizes: string }) => [src, stated]));
  expect(readFileSync(new URL("index.html", DASHBOARD), "utf8")).toContain(
    `<link rel="apple-touch-icon" href="assets/${icons[1].src}" />`,
  );
});

test("the documents name the oldest browsers that the page is built for", () => {
  const { browserslist } = JSON.parse(readFileSync(new URL("../../package.json", DASHBOARD), "utf8"));
  for (const file of ["../../docs/wall.md", "../../docs/da/wall.md"]) {
    const [, named] = /(Chrome .*?)\(/.exec(readFileSync(new URL(file, DASHBOARD), "utf8")) ?? [];
    for (const browser of browserslist) expect(named).toContain(browser.split(" ")[1]);
  }
});
