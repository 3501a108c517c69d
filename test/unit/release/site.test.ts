import { expect, test } from "vitest";
import { SITE_PAGES } from "../../../release/site.ts";
import { pageNames } from "../../support/docs/docs-pages.ts";

test("the side bar of the site has every page of docs/ once", () => {
  const pages = pageNames().filter((name) => name.startsWith("docs/"));
  const listed = Object.values(SITE_PAGES)
    .flat()
    .map((name) => `docs/${name}.md`);
  expect(listed.toSorted()).toEqual(pages);
});
