import { expect, test } from "vitest";
import { keyDigest } from "../../../../src/api/auth/api-keys.ts";
import { SessionAuth } from "../../../../src/api/auth/session-auth.ts";
import { type SessionKey, Sessions } from "../../../../src/api/auth/sessions.ts";
import { TestMemory } from "../../../support/storage/test-memory.ts";

const NOW = Date.UTC(2026, 2, 1, 12);
const KEYS: SessionKey[] = [
  { name: "kitchen", sha256: keyDigest("one"), control: true },
  { name: "guest", sha256: keyDigest("two") },
];
const PAGE = { "x-elbro-page": "1" };

function accessOf(dashboard: "open" | "key") {
  const sessions = new Sessions(new TestMemory(), () => KEYS);
  const access = new SessionAuth({ sessions, dashboard });
  const cookieOf = (name: string) => {
    const key = KEYS.find((one) => one.name === name);
    return key ? (sessions.begin(key, {}, NOW).split(";")[0] ?? "") : "";
  };
  const local = (
    permission: "read" | "control",
    headers: Record<string, string>,
    authorization?: string,
    from = "::1",
  ) => access.admit({ permission, authorization, remoteAddress: from, headers, now: NOW });
  const mirror = (headers: Record<string, string>) =>
    access.admit({ permission: "consumer", authorization: undefined, remoteAddress: "::1", headers, now: NOW });
  return { cookieOf, local, mirror };
}

test("a session may read, and control if its key may", () => {
  const { cookieOf, local } = accessOf("key");
  const kitchen = { cookie: cookieOf("kitchen") };
  const guest = { cookie: cookieOf("guest") };
  expect(local("read", kitchen)).toMatchObject({ kind: "admitted", caller: "kitchen" });
  expect(local("control", { ...kitchen, ...PAGE })).toMatchObject({ kind: "admitted", caller: "kitchen" });
  expect(local("read", guest)).toMatchObject({ kind: "admitted", caller: "guest" });
  expect(local("control", { ...guest, ...PAGE })).toMatchObject({ kind: "refused", error: { code: "forbidden" } });
});

test("a request forced by another site changes nothing and uses no quota", () => {
  const { cookieOf, local, mirror } = accessOf("key");
  const cookie = cookieOf("kitchen");
  expect(local("control", { cookie })).toMatchObject({ kind: "refused" });
  expect(local("control", { cookie, ...PAGE, "sec-fetch-site": "cross-site" })).toMatchObject({ kind: "refused" });
  expect(local("control", { cookie, ...PAGE, "sec-fetch-site": "same-origin" })).toMatchObject({ kind: "admitted" });
  expect(mirror({ cookie })).toBeNull();
  expect(mirror({ cookie, ...PAGE })).toMatchObject({ kind: "admitted" });
});

test("a session has the scope admin if its key has", () => {
  const phone: SessionKey = { name: "phone", sha256: keyDigest("one"), control: true, admin: true };
  const sessions = new Sessions(new TestMemory(), () => [phone, ...KEYS]);
  const ingress = (user: string | undefined) => user === "anna";
  const access = new SessionAuth({ sessions, ingress });
  const isAdmin = (headers: Record<string, string>, remoteAddress = "::1") =>
    access.isAdmin({ headers, remoteAddress, now: NOW });
  const cookieOf = (key: SessionKey) => ({ cookie: sessions.begin(key, {}, NOW).split(";")[0] ?? "" });
  expect([phone, ...KEYS].map((key) => isAdmin(cookieOf(key)))).toEqual([true, false, false]);
  expect(isAdmin({})).toBe(false);
  const user = (id: string) => ({ "x-ingress-path": "/a", "x-remote-user-id": id });
  expect(["anna", "bo"].map((id) => isAdmin(user(id), "172.30.32.2"))).toEqual([true, false]);
  // Only Home Assistant itself may name its user.
  expect(isAdmin(user("anna"), "192.168.1.7")).toBe(false);
});

test("without a session the API keys decide", () => {
  const { local, mirror } = accessOf("key");
  expect(local("read", {})).toBeNull();
  expect(mirror(PAGE)).toBeNull();
});

test("for a request with a key the API keys decide, with any other headers", () => {
  const { cookieOf, local } = accessOf("open");
  expect(local("read", { cookie: cookieOf("kitchen") }, "Bearer wrong")).toBeNull();
});

test("an open dashboard lets every client read and none control", () => {
  const { local, mirror } = accessOf("open");
  expect(local("read", {})).toMatchObject({ kind: "admitted", caller: "anybody" });
  expect(mirror(PAGE)).toMatchObject({ kind: "admitted" });
  expect(mirror({})).toBeNull();
  expect(local("control", PAGE)).toMatchObject({ kind: "refused", error: { code: "forbidden" } });
});

test("a login on an open dashboard may control if its key may", () => {
  const { cookieOf, local } = accessOf("open");
  expect(local("control", { cookie: cookieOf("kitchen"), ...PAGE })).toMatchObject({ kind: "admitted" });
});

test("requests of pages are limited per minute", () => {
  const { cookieOf, local } = accessOf("key");
  const cookie = cookieOf("guest");
  const verdicts = Array.from({ length: 700 }, () => local("read", { cookie })?.kind);
  expect(verdicts.filter((kind) => kind === "admitted")).toHaveLength(600);
  expect(verdicts.at(-1)).toBe("refused");
});

test("an address over its limit does not affect another, and all together are limited", () => {
  const { local } = accessOf("open");
  const asked = (from: string) =>
    Array.from({ length: 700 }, () => local("read", {}, undefined, from)?.kind).filter((kind) => kind === "admitted");
  expect(asked("192.0.2.1")).toHaveLength(600);
  expect(asked("192.0.2.2")).toHaveLength(600);
  // A client with one address of an IPv6 network has all of them.
  expect([asked("2001:db8::1").length, asked("2001:db8::2").length]).toEqual([600, 0]);
  expect([3, 4, 5, 6].map((i) => asked(`192.0.2.${i}`).length)).toEqual([600, 600, 0, 0]);
});

test("a Home Assistant user needs no key, only from the ingress address with its headers", () => {
  const sessions = new Sessions(new TestMemory(), () => []);
  const verdictOf = (ingress: (() => boolean) | null, remoteAddress: string, headers: Record<string, string>) =>
    new SessionAuth({ sessions, dashboard: "key", ingress }).admit({
      ...{ permission: "control", authorization: undefined, remoteAddress, headers, now: NOW },
    });
  const handedOn = { ...PAGE, "x-ingress-path": "/api/hassio_ingress/abc" };
  const anyone = () => true;
  expect(verdictOf(anyone, "172.30.32.2", handedOn)).toMatchObject({ kind: "admitted", caller: "Home Assistant" });
  expect(verdictOf(anyone, "::ffff:172.30.32.2", handedOn)).toMatchObject({ kind: "admitted" });
  expect(verdictOf(anyone, "172.30.32.3", handedOn)).toBeNull();
  expect(verdictOf(anyone, "172.30.32.2", PAGE)).toBeNull();
  expect(verdictOf(null, "172.30.32.2", handedOn)).toBeNull();
});

test("of Home Assistant's users only administrators may control; the others read", () => {
  const sessions = new Sessions(new TestMemory(), () => []);
  const access = new SessionAuth({ sessions, ingress: (id) => id === "anna" });
  const verdictOf = (permission: "read" | "control", user: Record<string, string>) =>
    access.admit({
      ...{ permission, authorization: undefined, remoteAddress: "172.30.32.2", now: NOW },
      headers: { ...PAGE, "x-ingress-path": "/api/hassio_ingress/abc", ...user },
    });
  expect(verdictOf("control", { "x-remote-user-id": "anna" })).toMatchObject({ kind: "admitted" });
  const refused = {
    error: { code: "forbidden", reason: "only an administrator of Home Assistant may make changes here" },
  };
  expect(verdictOf("control", { "x-remote-user-id": "bo" })).toMatchObject(refused);
  expect(verdictOf("control", { "x-remote-user-name": "anna" })).toMatchObject(refused);
  expect(verdictOf("read", { "x-remote-user-id": "bo" })).toMatchObject({ kind: "admitted" });
});
