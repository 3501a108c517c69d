import { createServer } from "node:http";
import { expect, test, vi } from "vitest";
import { answerFirstRequests } from "../../src/server/first-requests.ts";

vi.mock("node:http", async (original) => {
  const http = await original<typeof import("node:http")>();
  return { ...http, createServer: vi.fn(http.createServer) };
});

test("more requests are answered than V8 takes measure on, and their server is left without a connection", async () => {
  await answerFirstRequests();
  const [server] = vi.mocked(createServer).mock.results.map(({ value }) => value);
  const connections = await new Promise((resolve) =>
    server.getConnections((_: unknown, count: number) => resolve(count)),
  );
  expect(connections).toBe(0);
});
