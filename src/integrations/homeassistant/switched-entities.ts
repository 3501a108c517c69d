/**
 * Entities of Home Assistant that plugs switch and read: keeps the connection open while there are any, subscribes to
 * their states, and calls actions.
 *
 * Source: Home Assistant 2026.11, websocket_api/commands.py: subscribe_entities, call_service, get_config, ping.
 */
import { message, type Text } from "../../core/language/text.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import { LoopWaker } from "../../core/runtime/loop-waker.ts";
import { type LoopOptions, runLoop } from "../../core/runtime/run-loop.ts";
import { objectOf } from "../../core/text/foreign-text.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { EntityListener, EntityState, HomeAssistantEntities, OpenEntities } from "../../plugs/entity-plug.ts";
import { ConnectionFailures, type ConnectionFailuresDeps } from "./connection-failures.ts";
import type { SharedConnection } from "./shared-connection.ts";
import { type HomeAssistantClient, HomeAssistantError } from "./websocket-client.ts";

export interface SwitchedEntitiesDeps extends ConnectionFailuresDeps {
  readonly connection: Pick<SharedConnection, "use">;
  readonly clock: Clock;
  /** Called when the loop starts. */
  readonly heartbeat: () => Heartbeat;
}

const SUBJECT = "plugs in Home Assistant";
const MAX_RETRY_MS: number = MINUTE_MS;
/** Interval of requests that show whether a silent connection still works. */
const PING_MS: number = 30 * SECOND_MS;
/** Maximum number of calls of one plug without an answer: a command with its state request, and retries. */
const MAX_CALLS = 8;
/** Time limit for the last calls. The daemon ends within 2 s. */
const MAX_CLOSING_MS: number = SECOND_MS;

type Heartbeat = NonNullable<LoopOptions["heartbeat"]>;
type Client = Pick<HomeAssistantClient, "ask" | "subscribe" | "closed">;

export class SwitchedEntities implements HomeAssistantEntities {
  readonly #deps: SwitchedEntitiesDeps;
  readonly #failures: ConnectionFailures;
  readonly #ending = new AbortController();
  readonly #waker = new LoopWaker();
  /** Bounded by the plugs. */
  readonly #plugs = new Set<WatchedPlug>();
  #running: Promise<void> | null = null;

  constructor(deps: SwitchedEntitiesDeps) {
    this.#deps = deps;
    this.#failures = new ConnectionFailures(SUBJECT, MAX_RETRY_MS, deps);
  }

  open(entities: readonly string[], listener: EntityListener): OpenEntities {
    const plug = new WatchedPlug(entities, listener);
    this.#plugs.add(plug);
    this.#running ??= this.#run(this.#deps.heartbeat());
    this.#waker.wake();
    return {
      call: (action, data) => plug.call(action, data),
      close: async () => {
        await plug.close();
        this.#plugs.delete(plug);
        this.#waker.wake();
      },
    };
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(heartbeat: Heartbeat): Promise<void> {
    const { clock, connection } = this.#deps;
    const { signal } = this.#ending;
    await runLoop({ clock, heartbeat, waker: this.#waker }, signal, async () => {
      let nextAt = Number.POSITIVE_INFINITY;
      try {
        if (this.#plugs.size > 0) await connection.use((client) => this.#serve(client, heartbeat), signal);
        this.#failures.end();
      } catch (error) {
        if (!signal.aborted && !(error instanceof HomeAssistantError)) throw error;
        if (!signal.aborted) nextAt = this.#failures.add(error as HomeAssistantError);
      }
      for (const plug of this.#plugs) plug.isDown();
      return nextAt;
    });
  }

  /** Serves the plugs until the last is closed. Rejects with a HomeAssistantError when the connection ends. */
  async #serve(client: Client, heartbeat: Heartbeat): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#ending;
    const isRunning = objectOf(await client.ask({ type: "get_config" }))?.state === "RUNNING";
    let isOpen = true;
    void client.closed.then(() => {
      isOpen = false;
      this.#waker.wake();
    });
    while (this.#plugs.size > 0 && !signal.aborted) {
      heartbeat.turn();
      for (const plug of this.#plugs) await plug.connect(client, isRunning);
      this.#failures.end();
      const pingAt = clock.now() + PING_MS;
      heartbeat.sleep(pingAt);
      await this.#waker.sleep((wake) => clock.sleepUntil(pingAt, wake), signal);
      if (!isOpen) throw new HomeAssistantError("unreachable", message("ha.closed"));
      if (clock.now() >= pingAt) await client.ask({ type: "ping" });
    }
  }
}

/** The entities of one plug. */
class WatchedPlug {
  readonly #entities: readonly string[];
  readonly #listener: EntityListener;
  readonly #states = new Map<string, EntityState | null>();
  #client: Client | null = null;
  /** Calls without an answer. Bounded by MAX_CALLS. */
  readonly #calls = new Set<Promise<void>>();

  constructor(entities: readonly string[], listener: EntityListener) {
    this.#entities = entities;
    this.#listener = listener;
  }

  /** Subscribes on a new connection. `isRunning` is false while Home Assistant starts. Rejects like the client. */
  async connect(client: Client, isRunning: boolean): Promise<void> {
    if (this.#client === client) return;
    this.#client = client;
    this.#states.clear();
    this.#listener.isUp(true);
    let isFirst = true;
    await client.subscribe({ type: "subscribe_entities", entity_ids: this.#entities }, (event) => {
      if (this.#client !== client) return;
      this.#take(event);
      // While Home Assistant starts, entities appear one after another.
      if (isFirst && isRunning)
        for (const entity of this.#entities) if (!this.#states.has(entity)) this.#tell(entity, null);
      isFirst = false;
    });
  }

  isDown(): void {
    if (this.#client === null) return;
    this.#client = null;
    this.#listener.isUp(false);
  }

  call(action: string, data: string): void {
    const client = this.#client;
    if (client === null || this.#calls.size >= MAX_CALLS) return;
    const [domain, service] = action.split("/");
    const command = { type: "call_service", domain, service, service_data: JSON.parse(data) as object };
    const called: Promise<void> = client
      .ask(command)
      .then(
        () => this.#onAnswer(null),
        (error: unknown) => {
          if (!(error instanceof HomeAssistantError)) throw error;
          if (error.kind !== "unreachable") this.#onAnswer(error.text);
        },
      )
      .finally(() => this.#calls.delete(called));
    this.#calls.add(called);
  }

  async close(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(resolve, MAX_CLOSING_MS);
    await Promise.race([Promise.allSettled(this.#calls), late]);
    clearTimeout(deadline);
    this.#client = null;
  }

  /** Repeats the state after an answer, because Home Assistant reports only changes. */
  #onAnswer(refusal: Text | null): void {
    const [entity = ""] = this.#entities;
    const state = this.#states.get(entity);
    this.#listener.onAnswer(refusal);
    if (refusal === null && state) this.#listener.onState(entity, state);
  }

  /** Takes an event: `a` has whole states, `c` changes, `r` removed entities. */
  #take(event: unknown): void {
    const { a, c, r } = objectOf(event) ?? {};
    for (const [entity, state] of Object.entries(objectOf(a) ?? {})) this.#tell(entity, stateOf(state, null));
    for (const [entity, change] of Object.entries(objectOf(c) ?? {}))
      this.#tell(entity, stateOf(objectOf(change)?.["+"], this.#states.get(entity) ?? null));
    for (const entity of Array.isArray(r) ? r : []) this.#tell(String(entity), null);
  }

  #tell(entity: string, state: EntityState | null): void {
    if (!this.#entities.includes(entity)) return;
    this.#states.set(entity, state);
    this.#listener.onState(entity, state);
  }
}

/** Returns a state with its attributes; a change keeps what it does not name. Null if it has no state. */
function stateOf(compressed: unknown, before: EntityState | null): EntityState | null {
  const { s: state = before?.state, a } = objectOf(compressed) ?? {};
  return typeof state === "string" ? { state, attributes: { ...before?.attributes, ...objectOf(a) } } : null;
}
