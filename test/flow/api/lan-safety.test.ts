import { expect, test } from "vitest";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

test("every response has Vary: Origin if CORS is configured, also compressed ones and errors", async () => {
  const panel = "https://panel.example.org";
  const keys = [{ name: "test", key: LAN_KEY }];
  const api = { host: "127.0.0.1", port: 0, keys, requests_per_minute: 1_000, cors: [panel] };
  await using daemon = await TestDaemon.start({ start: Date.parse("2026-03-10T15:00:00Z"), config: { api } });
  await daemon.clock.runUntil(Date.parse("2026-03-10T15:05:00Z"));
  const prices = "/local/v1/prices?home=home";
  const addresses = (await (await daemon.request("/consumer/v1/me/addresses")).json()) as { data: { id: string }[] };
  const mirrored = `/consumer/v1/me/addresses/${addresses.data[0]?.id}/prices?from=2026-03-10T00:00:00Z&to=2026-03-11T00:00:00Z&resolution=hour`;
  for (const path of [prices, mirrored]) {
    const tag = (await daemon.request(path)).headers.get("etag") ?? "";
    for (const origin of [{}, { origin: panel }, { origin: "https://other.example.org" }])
      for (const wish of [{}, { "accept-encoding": "gzip" }, { "if-none-match": tag }]) {
        const { status, headers } = await daemon.request(path, { ...origin, ...wish });
        expect([path, status]).toEqual([path, "if-none-match" in wish ? 304 : 200]);
        expect(headers.get("vary")?.split(", ").sort(), JSON.stringify([origin, wish])).toEqual([
          "Accept-Encoding",
          "Origin",
        ]);
        expect(headers.get("access-control-allow-origin")).toBe(
          "origin" in origin && origin.origin === panel ? panel : null,
        );
      }
  }
  for (const path of ["/local/v1/plans/nobody", "/nowhere", "/healthz", "/consumer/v1/nowhere"])
    expect((await daemon.request(path)).headers.get("vary"), path).toBe("Origin");
});
