import { expect, test } from "vitest";
import { message } from "../../../../src/core/language/text.ts";
import {
  asStartError,
  mayPass,
  onPort,
  PassingStartError,
  StartError,
  throwIfShort,
} from "../../../../src/core/status/start-error.ts";

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

test.each([
  ["EADDRINUSE", "port 81 of the api is in use by another program; set api.port or ELBRO_API_PORT to another"],
  [
    "EACCES",
    "port 81 of the api needs more rights than this user has; set api.port or ELBRO_API_PORT to one above 1023",
  ],
  ...["EADDRNOTAVAIL", "ENOTFOUND"].map((code) => [
    code,
    "the api cannot listen on its host, which is not an address of this machine; set api.host or ELBRO_API_HOST to one of them, or to 0.0.0.0 for all",
  ]),
])("a port with %s says what to set", async (code, expected) => {
  const error: unknown = await onPort("api", 81, () => Promise.reject(failed(code))).catch((reason) => reason);
  expect(error).toBeInstanceOf(StartError);
  expect(error).toMatchObject({ message: expected });
});

test("a port that can be used gives its result, and another error of it stays as it is", async () => {
  expect(await onPort("broker", 1883, async () => "open")).toBe("open");
  for (const error of [failed("EPERM"), new Error("no code"), "text"])
    await expect(onPort("broker", 1883, () => Promise.reject(error))).rejects.toBe(error);
});

test("an error at the start shows the words of the system, and of another only its kind and place", () => {
  const known = new PassingStartError("later");
  expect(asStartError(known, "the start failed")).toBe(known);
  const system = Object.assign(failed("ENOENT"), { syscall: "open" });
  expect(asStartError(system, "the start failed").message).toBe("the start failed: ENOENT: it failed");
  const internal = asStartError(new TypeError("canary"), "the start failed").message;
  expect(internal).toMatch(/^the start failed: internal error, please report this: TypeError at .*start-error\.test/);
  expect(internal).not.toContain("canary");
  const bare = Object.assign(new RangeError("canary"), { stack: undefined });
  for (const [error, shown] of [
    [bare, "RangeError"],
    ["canary", "unknown error"],
  ] as const)
    expect(asStartError(error, "no").message).toBe(`no: internal error, please report this: ${shown}`);
});
