/**
 * What users of Home Assistant may do in the panel of the app, with the headers of its ingress.
 * Source: `_init_header` in supervisor/api/ingress.py and in homeassistant/components/hassio/ingress.py.
 */
import { execFileSync } from "node:child_process";
import http from "node:http";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import type { Seen } from "./checked-facts.ts";
import type { Checks } from "./checks.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import { until } from "./until.ts";

const INGRESS = "172.30.32.2";
const PLAN = "/local/v1/plans/dishwasher";
/** A request of each scope: read, control, admin. */
const REQUESTS = [`GET ${PLAN}`, `POST ${PLAN}`, "GET /local/v1/backup"];
const ADMIN = "200 200 200";
const LOOKS = "200 403 403";

export async function checkRoles(checks: Checks, { home, house }: Seen): Promise<void> {
  await checks.check("the panel of the app gives each user of Home Assistant the rights of the role", async () => {
    using address = ingressAddress();
    if (address === null) return "not tried: root and the program ip are needed";
    const users: readonly (readonly [name: string, id: string | undefined, expected: string])[] = [
      ["owner", (await home.socket.ask<{ id: string }>({ type: "auth/current_user" })).id, ADMIN],
      ["administrator", await added(home, "system-admin"), ADMIN],
      ["user", await added(home, "system-users"), LOOKS],
      ["read-only user", await added(home, "system-read-only"), LOOKS],
      ["deactivated administrator", await added(home, "system-admin", false), LOOKS],
      ["deleted user", "0".repeat(32), LOOKS],
      ["nobody", undefined, LOOKS],
    ];
    await using installed = await InstalledDaemon.prepare({});
    const { port: brokerPort, ...login } = house.broker;
    installed.configure({
      third_party: undefined,
      mqtt: { url: `mqtt://127.0.0.1:${brokerPort}`, ...login, base_topic: "roles", discovery_prefix: "roles" },
      homes: [{ address_id: installed.simulator.addressIds.danish, id: "home" }],
      plans: [{ name: "Dishwasher", home: "home", kind: "window", hours: 2, ready_by: "06:30" }],
      home_assistant: { url: home.url, token: await home.newToken("roles") },
    });
    await using daemon = await installed.launch({ SUPERVISOR_TOKEN: "a-token" });
    const port = await daemon.apiPort();
    await until("administrators", 15_000, async () => (await asked(port, users[0]?.[1])) === ADMIN || undefined);
    for (const [name, id, expected] of users) {
      const [found, elsewhere] = [await asked(port, id), await asked(port, id, "127.0.0.1")];
      if (found !== expected || elsewhere !== "401 401 401")
        throw new Error(`${name}: ${found}; elsewhere ${elsewhere}`);
    }
    return users.map(([name, , expected]) => `${name} ${expected}`).join(", ");
  });
}

/** Adds a user of a group of Home Assistant. Returns the id. */
async function added(home: HomeAssistant, group: string, is_active = true): Promise<string> {
  const create = { type: "config/auth/create", name: `${group} ${is_active}`, group_ids: [group] };
  const { user } = await home.socket.ask<{ user: { id: string } }>(create);
  if (!is_active) await home.socket.ask({ type: "config/auth/update", user_id: user.id, is_active });
  return user.id;
}

/** Gives this machine the address of Home Assistant's ingress for a while. Returns null if that is not possible here. */
function ingressAddress(): Disposable | null {
  const change = (verb: string) => execFileSync("ip", ["address", verb, `${INGRESS}/32`, "dev", "lo"]);
  try {
    change("replace");
  } catch {
    return null;
  }
  return { [Symbol.dispose]: () => void change("delete") };
}

/** Sends each request as the page does, forwarded for a user. Returns the status codes. */
async function asked(port: number, id: string | undefined, localAddress = INGRESS): Promise<string> {
  const headers = {
    ...(id && { "x-remote-user-id": id, "x-remote-user-name": "a", "x-remote-user-display-name": "A" }),
    ...{ "x-forwarded-for": "192.168.1.7, 172.30.32.1", "x-ingress-path": "/api/hassio_ingress/abc" },
    ...{ "x-hass-source": "core.ingress", "x-elbro-page": "1", "content-type": "application/json" },
  };
  const codes = REQUESTS.map((each) => {
    const [method = "", path] = each.split(" ");
    const code = Promise.withResolvers<number | undefined>();
    const request = http.request({ port, host: "127.0.0.1", localAddress, method, path, headers }, (response) => {
      response.resume().on("end", () => code.resolve(response.statusCode));
    });
    request.on("error", code.reject).end(method === "POST" ? '{"hours":1}' : undefined);
    return code.promise;
  });
  return (await Promise.all(codes)).join(" ");
}
