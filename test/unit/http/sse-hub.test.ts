import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type LiveEvent, MAX_WAITING_BYTES, SseHub } from "../../../src/http/sse-hub.ts";

const event = (n: number, home: string | null = null): LiveEvent => ({ type: "price", home, data: `{"n":${n}}` });

function hubWith(present: readonly LiveEvent[] = []): SseHub {
  return new SseHub({ runId: "run", present: () => present, greeting: (resumed) => JSON.stringify({ resumed }) });
}

/** Returns a function with the events of a subscription so far as lines of `type id data`. */
function heard(hub: SseHub, lastEventId: string | null, home: string | null = null): () => string[] {
  const out = new PassThrough();
  let text = "";
  out.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  hub.subscribe(out, { lastEventId, home });
  return () =>
    [...text.matchAll(/id: (.*)\nevent: (.*)\ndata: (.*)\n\n/g)].map(([, id, type, data]) => `${type} ${id} ${data}`);
}

describe("a new client", () => {
  test("without an id gets the current state, whose ids cannot be resumed until it is complete", () => {
    const hub = hubWith([event(1), event(2)]);
    hub.broadcast(event(1));
    hub.broadcast(event(2));
    expect(heard(hub, null)()).toEqual([
      'hello run-2-unfinished {"resumed":false}',
      'price run-2-unfinished {"n":1}',
      'price run-2-unfinished {"n":2}',
      "ready run-2 {}",
    ]);
  });

  test.each([
    "other-1",
    "run-4",
    "run--1",
    "run-1-unfinished",
    "run-1e0",
    "run-",
    "",
    "run-99999999999999999999",
    "\n",
  ])("with the unknown id %j gets the current state", (id) => {
    const hub = hubWith([event(3)]);
    for (const n of [1, 2, 3]) hub.broadcast(event(n));
    expect(heard(hub, id)()[0]).toContain('"resumed":false');
  });

  test("with an old id gets the current state: only the last 500 events are kept", () => {
    const hub = hubWith([event(0)]);
    for (let n = 1; n <= 600; n++) hub.broadcast(event(n));
    expect(heard(hub, "run-99")()[0]).toContain('"resumed":false');
    const all = heard(hub, "run-100")();
    expect([all.length, all[1]]).toEqual([502, 'price run-101 {"n":101}']);
  });

  test("with an old id after long events gets the current state: their total size is limited too", () => {
    const hub = hubWith();
    const data = JSON.stringify({ long: "x".repeat(100_000) });
    for (let n = 1; n <= 5; n++) hub.broadcast({ type: "plan", home: null, data });
    expect(heard(hub, "run-2")()[0]).toContain('"resumed":false');
    expect(heard(hub, "run-3")()[0]).toContain('"resumed":true');
  });
});

describe("limits", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  test("a heartbeat is sent every 15 s, and no timer remains after the end", () => {
    const hub = hubWith();
    const out = new PassThrough();
    let text = "";
    out.on("data", (bytes: Buffer) => {
      text += bytes.toString();
    });
    hub.subscribe(out, { lastEventId: null, home: null });
    const before = text.length;
    vi.advanceTimersByTime(45_000);
    expect(text.slice(before)).toBe(": \n\n".repeat(3));
    hub.close();
    expect([out.writableEnded, vi.getTimerCount()]).toEqual([true, 0]);
  });

  test("a client that reads nothing between two heartbeats is disconnected", () => {
    const hub = hubWith();
    const stuck = new Writable({ write: () => undefined });
    hub.subscribe(stuck, { lastEventId: null, home: null });
    vi.advanceTimersByTime(15_000);
    expect(stuck.destroyed).toBe(false);
    vi.advanceTimersByTime(15_000);
    expect([stuck.destroyed, hub.counts]).toEqual([true, { listeners: 0, dropped: 1 }]);
  });

  test("a client whose key is revoked is disconnected within 0.5 s, and no timer remains without clients", () => {
    const hub = hubWith();
    const out = new PassThrough().resume();
    let may = true;
    hub.subscribe(out, { lastEventId: null, home: null, isStillAuthorized: () => may });
    vi.advanceTimersByTime(30_000);
    expect(out.writableEnded).toBe(false);
    may = false;
    vi.advanceTimersByTime(500);
    expect([out.writableEnded, hub.counts.listeners, hub.counts.dropped]).toEqual([true, 0, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("a client that stops reading is disconnected despite system buffers; others get everything", async () => {
  const hub = hubWith();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    hub.subscribe(response, { lastEventId: null, home: null });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const client = (read: boolean) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: elbro\r\n\r\n"));
    const got = { bytes: 0, closed: false, socket };
    const take = ({ length }: Buffer) => {
      got.bytes += length;
    };
    if (read) socket.on("data", take);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      got.closed = true;
    });
    return got;
  };
  const [slow, quick] = [client(false), client(true)];
  while (hub.counts.listeners < 2) await new Promise((resolve) => setImmediate(resolve));
  const data = JSON.stringify("x".repeat(16_000));
  let sent = 0;
  for (; hub.counts.dropped === 0 && sent < 5_000; sent++) {
    hub.broadcast({ type: "price", home: null, data });
    while (sent % 8 === 7 && quick.bytes < sent * 16_000) await new Promise((resolve) => setImmediate(resolve));
  }
  // The system's buffers fill up before ours. Ours hold at most their limit and one event.
  expect([hub.counts.dropped, hub.counts.listeners]).toEqual([1, 1]);
  expect(MAX_WAITING_BYTES).toBeLessThan(1_000_000);
  hub.broadcast(event(1));
  while (quick.bytes < sent * 16_000) await new Promise((resolve) => setImmediate(resolve));
  slow.socket.resume();
  while (!slow.closed) await new Promise((resolve) => setImmediate(resolve));
  hub.close();
  server.closeAllConnections();
  server.close();
});
