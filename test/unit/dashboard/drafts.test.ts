import { expect, test, vi } from "vitest";
import { configJsonSchema } from "../../../src/config/schema/json-schema.ts";
import { keyRows } from "../../../src/config/schema/key-rows.ts";
import { draftOf, keepDraft } from "../../../src/dashboard/forms/drafts.ts";
import type { JsonSchema } from "../../../src/dashboard/forms/fields.ts";

const { notify = {}, plugs = {} } = (configJsonSchema() as JsonSchema).properties ?? {};

test("a draft has every entry of a form except the secrets of the configuration", () => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  });
  for (const [prefix, schema] of [
    ["notify.", notify],
    ["plugs[].", plugs.items ?? {}],
  ] as const) {
    const names = Object.keys(schema.properties ?? {});
    keepDraft("form", Object.fromEntries(names.map((name) => [name, "typed"])), schema);
    const secret = keyRows()
      .filter((row) => row.secret)
      .map(({ path }) => path);
    const open = names.filter((name) => !secret.includes(prefix + name));
    expect(names.length).toBeGreaterThan(open.length);
    expect(draftOf("form")).toEqual(Object.fromEntries(open.map((name) => [name, "typed"])));
  }
  keepDraft("form", { notify: { topic_url: "typed", events: ["problem"] } }, { properties: { notify } });
  expect(draftOf("form")).toEqual({ notify: { events: ["problem"] } });
  vi.unstubAllGlobals();
});
