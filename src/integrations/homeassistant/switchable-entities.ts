/**
 * Lists the entities of Home Assistant that a plug can switch. It has a connection of its own, because an answer that is
 * too long ends the connection.
 *
 * Source: Home Assistant 2026.11, websocket_api/commands.py: get_states; config/{entity,device,area}_registry.py. In
 * `list_for_display`, `ei` is the entity, `di` its device, `ai` its area, `ec` its category, and `hb` means hidden.
 */
import * as z from "zod/mini";
import { type MeterKind, meterOf, valueActionOf } from "../../core/plugs/families/home-assistant.ts";
import { type HomeAssistantAccount, HomeAssistantClient, HomeAssistantError } from "./websocket-client.ts";

export interface SwitchableEntity extends Readonly<Record<MeterKind, string | null>> {
  readonly entity: string;
  readonly name: string;
  readonly area: string | null;
}

/** Maximum number of listed entities. A large home has some hundred. */
const MAX_ENTITIES = 1_000;
const MAKER = "elbro";

const text = z.optional(z.nullable(z.string()));
const stateRow = z.object({ entity_id: z.string(), attributes: z.record(z.string(), z.unknown()) });
const entityRow = z.object({
  ei: z.string(),
  di: text,
  ai: text,
  ec: z.optional(z.number()),
  hb: z.optional(z.boolean()),
});
const deviceRow = z.object({ id: z.string(), area_id: text, manufacturer: text });
const areaRow = z.object({ area_id: z.string(), name: z.string() });

type Client = Pick<HomeAssistantClient, "ask">;

/** Returns the entities, sorted by name, without elbro's own. Rejects with a HomeAssistantError. */
export async function switchableEntities(
  account: HomeAssistantAccount,
  signal: AbortSignal,
): Promise<readonly SwitchableEntity[]> {
  const client = await HomeAssistantClient.connect(account, signal);
  try {
    const [states, registry, devices, areas] = await Promise.all([
      client.ask({ type: "get_states" }),
      registryOf(client, "config/entity_registry/list_for_display"),
      registryOf(client, "config/device_registry/list"),
      registryOf(client, "config/area_registry/list"),
    ]);
    const entities = (registry as { readonly entities?: unknown } | null)?.entities;
    return listed({
      states: rowsIn(stateRow, states),
      registry: new Map(rowsIn(entityRow, entities).map((row) => [row.ei, row])),
      devices: new Map(rowsIn(deviceRow, devices).map((row) => [row.id, row])),
      areas: new Map(rowsIn(areaRow, areas).map(({ area_id, name }) => [area_id, name])),
    });
  } finally {
    client.close();
  }
}

interface Registries {
  readonly states: readonly z.infer<typeof stateRow>[];
  readonly registry: ReadonlyMap<string, z.infer<typeof entityRow>>;
  readonly devices: ReadonlyMap<string, z.infer<typeof deviceRow>>;
  readonly areas: ReadonlyMap<string, string>;
}

function listed({ states, registry, devices, areas }: Registries): readonly SwitchableEntity[] {
  const switched = states.flatMap(({ entity_id: entity, attributes }) => {
    const row = registry.get(entity);
    const device = devices.get(row?.di ?? "");
    const action = valueActionOf(entity);
    // A category is that of a setting of the device, such as its child lock. A number or an option needs values.
    if (action === undefined || action?.isRequired || row?.hb || row?.ec != null || device?.manufacturer === MAKER)
      return [];
    const name = typeof attributes.friendly_name === "string" ? attributes.friendly_name : entity;
    return [{ entity, name, device, area: areas.get(row?.ai ?? device?.area_id ?? "") ?? null }];
  });
  const statesOf = Map.groupBy(states, ({ entity_id }) => registry.get(entity_id)?.di);
  const switchedOf = Map.groupBy(switched, ({ device }) => device?.id);
  /** The only sensor of its kind at a device that has one entity to switch. */
  const sensorOf = (device: string | undefined, meter: MeterKind) => {
    if (device === undefined || switchedOf.get(device)?.length !== 1) return null;
    const found = statesOf.get(device)?.filter((each) => meterOf(each.entity_id, each.attributes) === meter) ?? [];
    return found.length === 1 ? (found[0]?.entity_id ?? null) : null;
  };
  return switched
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .slice(0, MAX_ENTITIES)
    .map(({ device, ...entity }) => ({
      ...entity,
      power: sensorOf(device?.id, "power"),
      energy: sensorOf(device?.id, "energy"),
    }));
}

/** Returns a registry; null if this Home Assistant does not have it. */
async function registryOf(client: Client, type: string): Promise<unknown> {
  try {
    return await client.ask({ type });
  } catch (error) {
    if (error instanceof HomeAssistantError && error.kind === "refused") return null;
    throw error;
  }
}

/** Returns the rows of a list that have the form. Others are ignored. */
function rowsIn<Row>(form: z.ZodMiniType<Row>, answer: unknown): Row[] {
  const rows: readonly unknown[] = Array.isArray(answer) ? answer : [];
  return rows.flatMap((row) => form.safeParse(row).data ?? []);
}
