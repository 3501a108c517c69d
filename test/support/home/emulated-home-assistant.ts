/**
 * Emulates the part of Home Assistant's WebSocket API that concerns statistics, states and actions. Its messages are
 * those of Home Assistant 2026.11 (websocket_api/auth.py, commands.py, recorder/websocket_api.py). `npm run lab -- homeassistant` runs the same
 * commands against the real program.
 */
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { hear } from "../daemon/heard-secrets.ts";
import { calendar } from "./price-days.ts";

interface Statistic {
  metadata: Readonly<Record<string, unknown>>;
  readonly rows: Map<number, { readonly state: number; readonly sum: number }>;
}

interface Command {
  readonly id: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

interface ImportCommand {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly statistic_id: string; readonly source: string };
  readonly stats: readonly { readonly start: string; readonly state: number; readonly sum: number }[];
}

const VALID_ID = /^(?!.+__)(?!_)[\da-z_]+(?<!_):(?!_)[\da-z_]+(?<!_)$/;
const METADATA_KEYS = ["has_sum", "mean_type", "name", "source", "statistic_id", "unit_class", "unit_of_measurement"];
const ID = { type: "result", success: false };

export class EmulatedHomeAssistant implements AsyncDisposable {
  readonly token = "token-of-an-administrator";
  readonly statistics = new Map<string, Statistic>();
  /** States of entities, with their attributes. */
  readonly entities = new Map<string, { readonly state: string; readonly [attribute: string]: unknown }>();
  /** Called actions in order, such as `homeassistant/turn_on {"entity_id":"switch.a"}`. */
  readonly calls: string[] = [];
  /** Message of the error of the next action; null if it is done. */
  refusesCalls: string | null = null;
  state: "RUNNING" | "STARTING" = "RUNNING";
  pings = 0;
  /** Messages with changed states, by subscribed client and id. */
  readonly #watchers = new Set<{ readonly entities: readonly string[]; readonly tell: (event: object) => void }>();
  /** Number of rows in each import, in order. */
  readonly imports: { readonly id: string; readonly rows: number }[] = [];
  logins = 0;
  isAdmin = true;
  /** Response to the request for the users. */
  users: unknown = [];
  isRecorderLoaded = true;
  /** Answers to the commands that list entities, devices and areas. One that is not there is unknown. */
  readonly registries: Record<string, unknown> = {};
  /**
   * When imported rows are stored. `late`: after the response. `never`: as if Home Assistant restarted before storing.
   */
  stores: "at once" | "late" | "never" = "at once";
  /** Number of successful imports, after which the connection is closed instead of a response to the next. */
  endsAfterImports = Number.POSITIVE_INFINITY;
  #server: WebSocketServer | null = null;
  #port = 0;

  static async start(): Promise<EmulatedHomeAssistant> {
    const started = new EmulatedHomeAssistant();
    await started.up();
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts to listen, on the same port as before. */
  async up(): Promise<void> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: this.#port, path: "/api/websocket" });
    server.on("connection", (socket) => this.#accept(socket));
    await new Promise((resolve) => server.once("listening", resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Closes all connections without a close frame. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const client of server?.clients ?? []) client.terminate();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#server?.clients.size ?? 0;
  }

  /** Sets an entity's state and reports it, as Home Assistant does, only if it changed. Null removes the entity. */
  show(entity: string, state: string | null, attributes: object = {}): void {
    const before = this.entities.get(entity);
    const next = state === null ? null : { ...before, ...attributes, state };
    if (next && JSON.stringify(next) === JSON.stringify(before)) return;
    if (next) this.entities.set(entity, next);
    else this.entities.delete(entity);
    const told = next
      ? before
        ? { c: { [entity]: { "+": compressed(next) } } }
        : { a: { [entity]: compressed(next) } }
      : { r: [entity] };
    for (const { entities, tell } of this.#watchers) if (entities.includes(entity)) tell(told);
  }

  /** Sends a text to every client. */
  say(text: string): void {
    for (const client of this.#server?.clients ?? []) client.send(text);
  }

  /** Returns the hours of a statistic with the change of the sum in each, ascending. */
  hours(id: string): [start: number, state: number, change: number][] {
    let before = 0;
    return this.#sorted(id).map(([start, { state, sum }]) => {
      const change = Number((sum - before).toFixed(6));
      before = sum;
      return [start, state, change];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
  }

  #sorted(id: string) {
    return [...(this.statistics.get(id)?.rows ?? [])].sort(([a], [b]) => a - b);
  }

  #accept(socket: WebSocket): void {
    const send = (message: object) => socket.send(JSON.stringify(message));
    let isLoggedIn = false;
    let lastId = 0;
    send({ type: "auth_required", ha_version: "2026.11.0" });
    socket.on("message", (data) => {
      hear((this.#server?.address() as AddressInfo | undefined)?.port, String(data));
      const message = JSON.parse(String(data)) as Command;
      if (isLoggedIn) {
        if (message.id <= lastId) throw new Error("Identifier values have to increase.");
        lastId = message.id;
        this.#answer(message, socket, send);
      } else if (message.type === "auth" && message.access_token === this.token) {
        this.logins++;
        isLoggedIn = true;
        send({ type: "auth_ok", ha_version: "2026.11.0" });
      } else {
        this.logins++;
        send({ type: "auth_invalid", message: "Invalid access token or password" });
        socket.close();
      }
    });
  }

  #answer(command: Command, socket: WebSocket, send: (message: object) => void): void {
    const { id, type } = command;
    const refuse = (code: string, message: string) => send({ id, ...ID, error: { code, message } });
    const done = (result: unknown = null) => send({ id, type: "result", success: true, result });
    if (type === "ping") {
      this.pings++;
      send({ id, type: "pong" });
    } else if (type === "get_config") done({ state: this.state });
    else if (type === "subscribe_entities") {
      const entities = command.entity_ids as string[];
      const watcher = { entities, tell: (event: object) => send({ id, type: "event", event }) };
      this.#watchers.add(watcher);
      socket.once("close", () => this.#watchers.delete(watcher));
      done();
      const known = entities.flatMap((entity) => {
        const state = this.entities.get(entity);
        return state ? [[entity, compressed(state)] as const] : [];
      });
      watcher.tell({ a: Object.fromEntries(known) });
    } else if (type === "call_service") {
      this.calls.push(`${command.domain}/${command.service} ${JSON.stringify(command.service_data)}`);
      if (this.refusesCalls !== null) refuse("home_assistant_error", this.refusesCalls);
      else {
        this.#act(String(command.service), command.service_data as Record<string, string>);
        done();
      }
    } else if (type === "get_states")
      done([...this.entities].map(([entity_id, { state, ...attributes }]) => ({ entity_id, state, attributes })));
    else if (type in this.registries) done(this.registries[type]);
    else if (!this.isRecorderLoaded) refuse("unknown_command", "Unknown command.");
    else if (type === "config/auth/list") done(this.users);
    else if (type === "recorder/statistics_during_period")
      send({ id, type: "result", success: true, result: this.#during(command) });
    else if (type !== "recorder/import_statistics") refuse("unknown_command", "Unknown command.");
    else if (!this.isAdmin) refuse("unauthorized", "Unauthorized");
    else this.#import(command as unknown as ImportCommand, { socket, refuse, done: () => this.#done(id, send) });
  }

  #act(service: string, { entity_id: entity = "", ...data }: Readonly<Record<string, unknown>>): void {
    const id = String(entity);
    if ((this.entities.get(id)?.state ?? "unavailable") === "unavailable") return;
    if (service === "turn_on" || service === "turn_off") this.show(id, service.slice("turn_".length));
    else if (service === "set_preset_mode") this.show(id, this.entities.get(id)?.state ?? "heat", data);
    else if (service === "set_value") this.show(id, `${Number(data.value)}.0`);
  }

  #done(id: number, send: (message: object) => void): void {
    send({ id, type: "result", success: true, result: null });
  }

  #import(
    { metadata, stats }: ImportCommand,
    { socket, refuse, done }: { socket: WebSocket; refuse: (code: string, message: string) => void; done: () => void },
  ): void {
    const { statistic_id: id } = metadata;
    const refusal = refusalOf(metadata, stats);
    if (refusal) {
      refuse(...refusal);
      return;
    }
    this.imports.push({ id, rows: stats.length });
    const store = () => {
      const { rows } = this.statistics.get(id) ?? { rows: new Map() };
      for (const { start, state, sum } of stats) rows.set(Date.parse(start), { state, sum });
      this.statistics.set(id, { metadata, rows });
    };
    if (this.stores === "at once") store();
    if (this.imports.length > this.endsAfterImports) socket.terminate();
    else done();
    if (this.stores === "late") setImmediate(() => setImmediate(store));
  }

  #during(command: Command): Record<string, object[]> {
    const { start_time, end_time, statistic_ids, period } = command;
    const [id = ""] = statistic_ids as string[];
    const unit = period === "month" ? "month" : "hour";
    const start = calendar.startOf(unit, Date.parse(String(start_time)));
    const end = Date.parse(String(end_time));
    // The month that contains the end is included completely.
    const bound = unit === "month" ? calendar.next("month", end) : end;
    const within = this.#sorted(id).filter(([at]) => at >= start && at < bound);
    const rows = new Map(within.map(([at, row]) => [calendar.startOf(unit, at), row]));
    if (rows.size === 0) return {};
    return { [id]: [...rows].map(([at, row]) => ({ start: at, end: calendar.next(unit, at), ...row })) };
  }
}

function compressed({ state, ...attributes }: { readonly state: string }): object {
  return { s: state, a: attributes, c: "01J", lc: 1_780_000_000 };
}

/** Returns error code and message; null if the recorder accepts the rows. */
function refusalOf(
  metadata: ImportCommand["metadata"],
  stats: ImportCommand["stats"],
): [code: string, message: string] | null {
  const { statistic_id: id, source } = metadata;
  const keys = Object.keys(metadata).sort().join();
  if (keys !== METADATA_KEYS.join()) return ["invalid_format", `extra or missing keys: ${keys}`];
  if (!VALID_ID.test(id)) return ["home_assistant_error", "Invalid statistic_id"];
  if (id.split(":")[0] !== source) return ["home_assistant_error", "Invalid source"];
  if (stats.some(({ start }) => Date.parse(start) % HOUR_MS !== 0))
    return ["home_assistant_error", "Invalid timestamp: timestamps must be from the top of the hour"];
  return null;
}
