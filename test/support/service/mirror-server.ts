import { ApiKeys, keyDigest } from "../../../src/api/auth/api-keys.ts";
import { type Asked, type MirrorSource, mirrorHandlers } from "../../../src/api/mirror/mirror.ts";
import { listen } from "../../../src/http/listener.ts";
import { operationRoutes } from "../../../src/http/operation-routes.ts";
import { ResponseCache } from "../../../src/http/response-cache.ts";
import type { RouteContext } from "../../../src/http/route.ts";
import { addRoute, createRouter } from "../../../src/http/router.ts";
import type { Found } from "../../../src/state/stored-answer.ts";
import { ADDRESS_ID } from "../../fixtures/answers.ts";
import { calendar } from "./fetch-schedule-model.ts";

const KEY = "kitchen-key";

/** Response to a LAN request. */
export interface LanAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

const forever = () => new Promise<never>(() => undefined);

/** Starts a mirror on a real socket; the test provides its data. Without `overdue`, no request takes too long. */
export async function startMirror(
  source: Partial<MirrorSource>,
  { overdue = forever, ...limits }: { minute?: number; day?: number; overdue?: () => Promise<void> } = {},
) {
  const world = { now: Date.parse("2026-03-10T09:00:30Z"), crashes: [] as unknown[] };
  const keys = new ApiKeys([{ name: "kitchen", sha256: keyDigest(KEY) }], { minute: 1_000, day: 1_000, ...limits });
  const onLateCrash = (error: unknown) => void world.crashes.push(error);
  const parts = {
    refusal: () => null,
    find: () => null,
    findPart: () => null,
    ask: askNobody,
    onLateCrash,
    ...source,
  };
  const context: RouteContext = {
    headers: {},
    admit: (message) => keys.admit(message),
    now: () => world.now,
    newRequestId: () => "request-id",
    onCrash: (error) => void world.crashes.push(error),
  };
  const router = createRouter(context);
  const handlers = mirrorHandlers(parts, new ResponseCache(), overdue);
  for (const route of operationRoutes(handlers, calendar)) addRoute(router, route, context);
  const listener = await listen(router, "127.0.0.1", 0);
  return {
    world,
    port: listener.port,
    async ask(
      path = `/consumer/v1/me/addresses/${ADDRESS_ID}/forecast-prices`,
      key: string | null = KEY,
    ): Promise<LanAnswer> {
      const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
      const answer = await fetch(`http://127.0.0.1:${listener.port}${path}`, { headers });
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as LanAnswer["body"] };
    },
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

async function askNobody(): Promise<Asked> {
  throw new Error("nobody was to be asked");
}

/** Returns a stored response that never changes. */
export function foundAt(answeredAt: number, fresh: boolean, json = '{"data":[]}'): Found {
  return { version: 1, answeredAt, fresh, read: () => Buffer.from(json) };
}
