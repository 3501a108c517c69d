import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isSecretKey } from "../../../../src/config/reading/mistake.ts";
import { configSchema } from "../../../../src/config/schema/schema.ts";
import { publish } from "../../../../src/integrations/notify/publish.ts";
import { webhookRequest } from "../../../../src/integrations/notify/webhook.ts";

const NOTE = {
  title: 'Home: "cheap" now',
  message: "0.25 DKK/kWh & less\nuntil 05:00 – få",
  priority: 3,
  tags: ["zap"],
  click: "http://elbro.local:8080/",
} as const;

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A played program: keeps the requests, and answers as its documentation says. */
class PlayedServer implements AsyncDisposable {
  readonly received: Received[] = [];
  answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>> } = { status: 200 };
  readonly #server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    this.received.push({ method: String(request.method), url: String(request.url), headers: request.headers, body });
    response.writeHead(this.answer.status, this.answer.headers).end();
  });

  static async start(): Promise<PlayedServer> {
    const server = new PlayedServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const docs = readFileSync("docs/notifications.md", "utf8");
const [, section = ""] = /^## Other programs$(.*?)^## /ms.exec(docs) ?? [];
const recipes = [...section.matchAll(/^\*\*([^*\n]+)\*\*[^\n]*:\n\n```yaml\n(.*?)```/gms)].map(
  ([, name = "", yaml = ""]) => ({
    name,
    notify: configSchema.parse(parse(yaml)).notify,
  }),
);

/**
 * The request that each program expects, and the status of its answer, written without the programs. Documented at
 * gotify.net/docs/pushmsg, pushover.net/api, core.telegram.org/bots/api#sendmessage,
 * discord.com/developers/docs/resources/webhook#execute-webhook, home-assistant.io/docs/automation/trigger (webhook),
 * github.com/caronc/apprise-api (stateful notifications).
 */
const documented: Readonly<Record<string, { status: number; path: string; check: (received: Received) => void }>> = {
  Gotify: {
    status: 200,
    path: "/message",
    check({ headers, body }) {
      expect(headers["x-gotify-key"]).toBe("token-of-the-application");
      expect(JSON.parse(body)).toEqual({ title: NOTE.title, message: NOTE.message, priority: 3 });
    },
  },
  Pushover: {
    status: 200,
    path: "/1/messages.json",
    check({ headers, body }) {
      expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
      expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
        ...{ token: "token-of-the-application", user: "key-of-the-user" },
        ...{ title: NOTE.title, message: NOTE.message },
      });
    },
  },
  Telegram: {
    status: 200,
    path: "/bot123456:token-of-the-bot/sendMessage",
    check({ body }) {
      expect(JSON.parse(body)).toEqual({ chat_id: "987654321", text: `${NOTE.title}\n${NOTE.message}` });
    },
  },
  Discord: {
    status: 204,
    path: "/api/webhooks/123456789/token-of-the-webhook",
    check({ body }) {
      expect(JSON.parse(body)).toEqual({ content: `**${NOTE.title}**\n${NOTE.message}` });
    },
  },
  "Home Assistant": {
    status: 200,
    path: "/api/webhook/a-long-id-of-your-own",
    check({ body }) {
      expect(JSON.parse(body)).toEqual({ ...NOTE, tags: "zap" });
    },
  },
  Apprise: {
    status: 200,
    path: "/notify/house",
    check({ body }) {
      expect(JSON.parse(body)).toEqual({ title: NOTE.title, body: NOTE.message, type: "info" });
    },
  },
};

describe("the recipes of docs/notifications.md send what the program documents", () => {
  test.each(recipes)("$name", async ({ name, notify }) => {
    const rule = documented[name];
    if (!notify?.webhook_url || !rule) throw new Error(`no rule for ${name}`);
    await using server = await PlayedServer.start();
    server.answer = { status: rule.status };
    const webhook_url = server.origin + new URL(notify.webhook_url).pathname;
    const published = await publish({ ...notify, webhook_url }, NOTE, new AbortController().signal);
    expect(published).toEqual({ kind: "sent" });
    expect(server.received).toMatchObject([{ method: "POST", url: rule.path }]);
    for (const received of server.received) {
      if (name !== "Pushover") expect(received.headers["content-type"]).toBe("application/json");
      rule.check(received);
    }
  });

  test("there is one for each documented program", () => {
    expect(recipes.map(({ name }) => name)).toEqual(Object.keys(documented));
  });
});

test("a redirect is refused and its target never asked; 429 and 500 are tried again later", async () => {
  await using server = await PlayedServer.start();
  await using target = await PlayedServer.start();
  const account = { webhook_url: `${server.origin}/hook?token=x`, webhook_method: "PUT", events: ["plan"] } as const;
  const answered = async (status: number, headers: Readonly<Record<string, string>> = {}) => {
    server.answer = { status, headers };
    return await publish({ ...account, events: ["plan"] }, NOTE, new AbortController().signal);
  };
  expect(await answered(307, { location: `${target.origin}/hook` })).toMatchObject({ kind: "refused" });
  expect(await answered(401)).toMatchObject({ kind: "refused" });
  expect(await answered(429, { "retry-after": "7" })).toMatchObject({ kind: "later", retryAfterSec: 7 });
  expect(await answered(500)).toMatchObject({ kind: "later", retryAfterSec: null });
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(4).fill("PUT /hook?token=x"));
  expect(target.received).toEqual([]);
});

test("no text can end a value of the body; property", () => {
  const webhook = { webhook_url: "http://x/", webhook_body: '{"a": "{message}", "b": "{title}"}' };
  const form = {
    webhook_url: "http://x/",
    webhook_headers: "content-type: application/x-www-form-urlencoded\nX-Other: 1\n",
    webhook_body: "a={message}&b={title}",
  };
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (message, title) => {
      const note = { ...NOTE, message, title };
      expect(JSON.parse(webhookRequest(webhook, note).body)).toEqual({ a: message, b: title });
      expect([...new URLSearchParams(webhookRequest(form, note).body)]).toEqual([
        ["a", message],
        ["b", title],
      ]);
    }),
    { seed: 3 },
  );
});

test("URL, headers and body are secrets", () => {
  for (const key of ["webhook_url", "webhook_headers", "webhook_body"]) expect(isSecretKey(key)).toBe(true);
});
