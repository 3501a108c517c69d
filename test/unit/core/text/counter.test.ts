import { expect, test } from "vitest";
import { Counter } from "../../../../src/core/text/counter.ts";

test("sets of labels after the first 20,000 are counted together as other, with one such set for each number of labels", () => {
  const counter = new Counter();
  for (let i = 0; i < 20_000; i++) counter.add("request", String(i));
  counter.add("request", "0");
  for (const last of ["a", "b"]) counter.add("request", last);
  counter.add("c");
  const list = counter.list();
  expect(list[0]).toEqual({ labels: ["request", "0"], count: 2 });
  expect(list.slice(19_999)).toEqual([
    { labels: ["request", "19999"], count: 1 },
    { labels: ["other", "other"], count: 2 },
    { labels: ["other"], count: 1 },
  ]);
});
