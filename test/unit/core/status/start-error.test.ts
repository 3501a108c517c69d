import { expect, test } from "vitest";
import { message } from "../../../../src/core/language/text.ts";
import { mayPass, PassingStartError, throwIfShort } from "../../../../src/core/status/start-error.ts";

const failed = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });

test.each(["ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM"])("%s passes by itself, at any time", (code) => {
  const expected = new PassingStartError(message("start.short", { what: "the keys cannot be saved", code }));
  expect(() => throwIfShort(failed(code), "the keys cannot be saved")).toThrow(expected);
  expect(() => throwIfShort(code, "the keys cannot be saved")).toThrow(expected);
  expect(mayPass(failed(code))).toBe(true);
});

test.each(["EACCES", "ENOENT", "EISDIR"])("%s needs the owner", (code) => {
  expect(() => throwIfShort(failed(code), "it failed")).not.toThrow();
  expect(mayPass(failed(code))).toBe(false);
});

test("a read-only disk passes at the start, but is not a shortage: it may be meant", () => {
  expect(mayPass(failed("EROFS"))).toBe(true);
  expect(() => throwIfShort(failed("EROFS"), "it failed")).not.toThrow();
});
