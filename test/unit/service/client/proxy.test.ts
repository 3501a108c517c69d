import { describe, expect, test } from "vitest";
import { message } from "../../../../src/core/language/text.ts";
import { proxyOf } from "../../../../src/service/client/proxy.ts";
import { lacks } from "../../../support/runner/needs.ts";
import { openAsking } from "../../../support/service/asking-client.ts";
import { Authority } from "../../../support/service/certificates.ts";
import { ConnectProxy } from "../../../support/service/connect-proxy.ts";
import { RawServer, rawAnswer } from "../../../support/service/raw-server.ts";

const ADDRESSES = rawAnswer('{"data":[]}');
const NONE = { httpProxy: "", httpsProxy: "", noProxy: "" };

describe("the proxy from the environment", () => {
  test.each([
    [{}, null],
    [{ NO_PROXY: "*" }, null],
    [{ HTTPS_PROXY: "" }, null],
    [{ HTTPS_PROXY: "http://" }, null],
    [{ HTTPS_PROXY: "http://proxy:3128" }, { ...NONE, httpsProxy: "http://proxy:3128/" }],
    [
      { https_proxy: "proxy:3128", HTTPS_PROXY: "http://other" },
      { ...NONE, httpsProxy: "http://proxy:3128/" },
    ],
    [
      { http_proxy: "http://a:b@p", no_proxy: "localhost,.lan" },
      { ...NONE, httpProxy: "http://a:b@p/", noProxy: "localhost,.lan" },
    ],
  ])("%o: %o", (environment, expected) => {
    expect(proxyOf(environment)).toEqual(expected);
  });
});

describe("a proxy", () => {
  test("a proxy forwards requests to a service without TLS", async () => {
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES));
    await using proxy = await ConnectProxy.start();
    const httpProxy = `http://127.0.0.1:${proxy.port}`;
    await using asking = await openAsking(server.url, { proxy: { ...NONE, httpProxy } });
    expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
    expect(proxy.asked).toEqual([`GET ${server.url}/consumer/v1/me/addresses`]);
  });

  test("with a password forwards requests to a service without TLS", async () => {
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES));
    await using proxy = await ConnectProxy.start("s3cret");
    const httpProxy = (password: string) => `http://elbro:${password}@127.0.0.1:${proxy.port}`;
    await using asking = await openAsking(server.url, { proxy: { ...NONE, httpProxy: httpProxy("s3cret") } });
    expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
    await using refused = await openAsking(server.url, { proxy: { ...NONE, httpProxy: httpProxy("wr0ng") } });
    const { answer } = await refused.ask("addresses", {});
    expect(answer).toMatchObject({ kind: "unreachable", why: message("net.proxy", { status: "407" }) });
    expect(server.requests).toHaveLength(1);
  });

  test("a proxy is used only if it is set for the scheme of the service", async () => {
    const server = await RawServer.start(() => undefined);
    await server[Symbol.asyncDispose]();
    await using proxy = await ConnectProxy.start();
    const httpProxy = `http://127.0.0.1:${proxy.port}`;
    const secure = server.url.replace("http:", "https:");
    await using asking = await openAsking(secure, { proxy: { ...NONE, httpProxy } });
    expect((await asking.ask("addresses", {})).answer).toMatchObject({ why: message("net.refused") });
    expect(proxy.asked).toEqual([]);
  });

  test("a proxy gets at most four connections at the same time, a new one for each request", async () => {
    await using server = await RawServer.start((socket) => socket.write(ADDRESSES));
    await using proxy = await ConnectProxy.start();
    const httpProxy = `http://127.0.0.1:${proxy.port}`;
    await using asking = await openAsking(server.url, { proxy: { ...NONE, httpProxy } });
    const asked = await Promise.all(Array.from({ length: 10 }, () => asking.ask("addresses", {})));
    expect(asked.every(({ answer }) => answer.kind === "ok")).toBe(true);
    expect(proxy.connections).toBe(10);
    expect(proxy.mostAtOnce).toBeLessThanOrEqual(4);
  });

  test("a proxy is not used if NO_PROXY contains the service", async () => {
    await using server = await RawServer.start((socket) => socket.end(ADDRESSES));
    await using proxy = await ConnectProxy.start();
    const httpProxy = `http://127.0.0.1:${proxy.port}`;
    await using asking = await openAsking(server.url, { proxy: { ...NONE, httpProxy, noProxy: "127.0.0.1" } });
    expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
    expect(proxy.asked).toEqual([]);
  });

  test("that is not reachable is reported", async () => {
    const proxy = await ConnectProxy.start();
    await proxy[Symbol.asyncDispose]();
    const httpProxy = `http://127.0.0.1:${proxy.port}`;
    await using asking = await openAsking("http://service.invalid", { proxy: { ...NONE, httpProxy } });
    const { answer } = await asking.ask("addresses", {});
    expect(answer).toMatchObject({
      kind: "unreachable",
      why: message("net.of_proxy", { why: message("net.refused") }),
    });
  });

  test("a proxy does not extend the timeout", async () => {
    await using server = await RawServer.start(() => undefined);
    await using proxy = await ConnectProxy.start();
    const httpProxy = `http://127.0.0.1:${proxy.port}`;
    await using asking = await openAsking(server.url, { proxy: { ...NONE, httpProxy }, timeoutMs: 300 });
    const { answer } = await asking.ask("addresses", {});
    expect(answer).toMatchObject({ kind: "unreachable", why: "it did not answer within 0.3 s" });
  });

  describe.skipIf(lacks("openssl"))("with TLS (skipped without openssl)", () => {
    test("with TLS tunnels requests without seeing path or key", async () => {
      using authority = new Authority("the owner's authority");
      await using server = await RawServer.start(
        (socket) => socket.end(ADDRESSES),
        authority.issue("localhost", "IP:127.0.0.1"),
      );
      await using proxy = await ConnectProxy.start("s3cret");
      const httpsProxy = `http://elbro:s3cret@127.0.0.1:${proxy.port}`;
      await using asking = await openAsking(server.url, { ca: authority.cert, proxy: { ...NONE, httpsProxy } });
      expect((await asking.ask("addresses", {})).answer.kind).toBe("ok");
      expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${server.port}`]);
    });

    test("with TLS does not prevent the rejection of an unknown authority", async () => {
      using authority = new Authority("a stranger");
      await using server = await RawServer.start(
        (socket) => socket.end(ADDRESSES),
        authority.issue("localhost", "IP:127.0.0.1"),
      );
      await using proxy = await ConnectProxy.start();
      const httpsProxy = `http://127.0.0.1:${proxy.port}`;
      await using asking = await openAsking(server.url, { proxy: { ...NONE, httpsProxy } });
      const { answer } = await asking.ask("addresses", {});
      expect(answer).toMatchObject({ kind: "unreachable", why: message("net.unknown_ca") });
      expect(server.requests).toEqual([]);
    });

    test("with a wrong password is reported without the password", async () => {
      await using proxy = await ConnectProxy.start("s3cret");
      const httpsProxy = `http://elbro:wr0ng@127.0.0.1:${proxy.port}`;
      await using asking = await openAsking("https://service.invalid", { proxy: { ...NONE, httpsProxy } });
      const { answer } = await asking.ask("addresses", {});
      expect(answer).toMatchObject({ kind: "unreachable", why: message("net.proxy", { status: "407" }) });
    });
  });
});
