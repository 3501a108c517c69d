/** The plugs of the house put together: which there are, what each follows, and the loop that looks after them. */
import type { Clock } from "./collector/clock.ts";
import { Edges } from "./collector/edges.ts";
import { unknownText } from "./config/nearest.ts";
import { type PlugConfig, plugId } from "./config/plug-schema.ts";
import { type EpochMs, MINUTE_MS } from "./core/interval.ts";
import type { Wanted } from "./core/plug-state.ts";
import type { Homes } from "./homes.ts";
import type { House } from "./house.ts";
import { type PlugSetup, Plugs, type PlugsParts } from "./plugs/plugs.ts";

export interface SwitchingParts
  extends Pick<PlugsParts, "baseTopic" | "publishOnce" | "trusted" | "memory" | "problems" | "log" | "onChange"> {
  readonly plugs: readonly PlugConfig[];
  readonly clock: Clock;
  readonly homes: Pick<Homes, "list" | "known">;
  readonly house: Pick<House, "snapshot">;
  /** What a plan wants at a moment; null where there is no such plan, or nothing is known: that is OFF. */
  readonly planWanted: (plan: string, home: string | null, now: EpochMs) => Wanted | null;
}

export interface Switching {
  readonly plugs: Plugs;
  /** Looks after the plugs until the signal fires. */
  readonly loop: Edges;
}

export function openSwitching(parts: SwitchingParts): Switching {
  const byId = new Map(parts.plugs.map((plug) => [plugId(plug), plug]));
  const plugs = new Plugs({
    ...parts,
    plugs: parts.plugs.map(setupOf),
    wanted: (id, now) => {
      const plug = byId.get(id);
      return plug ? wantedOf(plug, parts, now) : null;
    },
    wake: () => loop.wake(),
  });
  const loop = new Edges(parts.clock, (now) => plugs.look(now));
  return { plugs, loop };
}

function wantedOf(plug: PlugConfig, parts: SwitchingParts, now: EpochMs): Wanted | null {
  const { homes, house, planWanted } = parts;
  if (plug.plan !== undefined) return planWanted(plug.plan, plug.home ?? null, now);
  const home = homes.list().find(({ id }) => id === plug.home);
  if (homes.known) tellHome(plug, home !== undefined, parts, now);
  if (!home) return null;
  const { cheap, level, nextChangeAt } = house.snapshot(home, now);
  return cheap === null ? null : { on: cheap, until: nextChangeAt, reason: `the price at ${home.name} is ${level}` };
}

/** Which homes there are is known once the account told its addresses. */
function tellHome(plug: PlugConfig, isThere: boolean, { homes, problems }: SwitchingParts, now: EpochMs): void {
  const subject = `home of plug ${plugId(plug)}`;
  if (isThere) {
    problems.end(subject);
    return;
  }
  const ids = homes.list().map(({ id }) => id);
  problems.start({
    code: "unknown_home",
    subject,
    since: now,
    advice: `set home of the plug ${plug.name} to one of ${ids.join(", ") || "the homes"}; until then it is off`,
    detail: unknownText("a home", plug.home ?? "", ids),
    requestId: null,
  });
}

function setupOf(plug: PlugConfig): PlugSetup {
  const { on, off } = plug;
  return {
    id: plugId(plug),
    name: plug.name,
    family: plug.family,
    topic: plug.topic ?? "",
    channel: plug.channel === undefined ? null : String(plug.channel),
    custom: on && off ? { ...plug, on, off } : undefined,
    override: plug.override,
    minOnMs: plug.min_on * MINUTE_MS,
    minOffMs: plug.min_off * MINUTE_MS,
    signalTopic: plug.signal_topic ?? null,
  };
}
