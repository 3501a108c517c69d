/** Imports blueprints and creates automations through the APIs that Home Assistant's pages use. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { copiedText } from "../support/docs/copied-files.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import { until } from "./until.ts";

/** Type of the event that automations of the tests fire. */
const TOLD = "elbro_test";
const DONE_WITHIN_MS = 15_000;

interface Imported {
  readonly suggested_filename: string;
  readonly raw_data: string;
  readonly validation_errors: readonly string[] | null;
}

/** Imports a blueprint from a URL and saves it. Returns the path by which automations name it. */
export async function importBlueprint(home: HomeAssistant, file: string): Promise<string> {
  const text = copiedText(file);
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/${file}`;
    const { validation_errors, raw_data } = await home.socket.ask<Imported>({ type: "blueprint/import", url });
    if (validation_errors) throw new Error(validation_errors.join("; "));
    const path = `elbro/${file.split("/").at(-1)}`;
    await home.socket.ask({ type: "blueprint/save", domain: "automation", path, yaml: raw_data, source_url: url });
    return path;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Creates an automation from a blueprint. Rejects with Home Assistant's error. */
export async function createAutomation(
  home: HomeAssistant,
  name: string,
  use_blueprint: { readonly path: string; readonly input: object },
): Promise<void> {
  const description = "";
  await home.rest("POST", `/api/config/automation/config/${name}`, { alias: name, description, use_blueprint });
  await until(`automation.${name} is on`, DONE_WITHIN_MS, async () => {
    const { state } = await home.state(`automation.${name}`);
    if (state !== "on") throw new Error(`it is ${state}`);
    return true;
  });
}

/** Returns an action that fires the event with `what`, which may be a template. */
export function tells(what: string): object {
  return { event: TOLD, event_data: { what } };
}

/** Records the actions of automations: switched entities and events. */
export class RecordedActions {
  #done: string[] = [];
  readonly #home: HomeAssistant;

  private constructor(home: HomeAssistant) {
    this.#home = home;
  }

  static async start(home: HomeAssistant): Promise<RecordedActions> {
    const actions = new RecordedActions(home);
    await home.socket.listen("call_service", ({ data }) => {
      const { domain, service, service_data } = data;
      if (domain !== "homeassistant") return;
      const { entity_id } = service_data as { readonly entity_id?: string | readonly string[] };
      for (const entity of [entity_id ?? []].flat())
        actions.#done.push(`${String(service)} ${entity.replace("input_boolean.", "")}`);
    });
    await home.socket.listen(TOLD, ({ data }) => actions.#done.push(String(data.what)));
    return actions;
  }

  /** Forgets the recorded actions. */
  clear(): void {
    this.#done = [];
  }

  /** Waits until the recorded actions that match `about` are exactly `wanted`. Rejects after `DONE_WITHIN_MS`. */
  async expect(about: RegExp, wanted: readonly string[]): Promise<void> {
    await until(`${about} did [${wanted.join(", ")}]`, DONE_WITHIN_MS, async () => {
      const done = this.#done.filter((each) => about.test(each));
      if (done.join() !== wanted.join()) throw new Error(`did [${done.join(", ")}]`);
      return true;
    });
  }

  /** Waits until no automation runs. */
  async settle(names: readonly string[]): Promise<void> {
    await until("no automation runs", DONE_WITHIN_MS, async () => {
      const states = await Promise.all(names.map((name) => this.#home.state(`automation.${name}`)));
      const running = states.filter(({ attributes }) => attributes.current !== 0);
      if (running.length > 0) throw new Error(`${running.map(({ entity_id }) => entity_id).join(", ")} runs`);
      return true;
    });
  }
}
