/** The plugs of the house put together: which there are, what each follows, and the loop that looks after them. */
import type { Clock } from "./collector/clock.ts";
import { Edges } from "./collector/edges.ts";
import type { Pulse } from "./collector/pulse.ts";
import { unknownText } from "./config/nearest.ts";
import { type PlugConfig, plugId } from "./config/plug-schema.ts";
import type { HomeSnapshot } from "./core/home-snapshot.ts";
import { type EpochMs, MINUTE_MS } from "./core/interval.ts";
import type { PlaceSnapshot } from "./core/place-snapshot.ts";
import type { Wanted } from "./core/plug-state.ts";
import { slugOf } from "./core/slug.ts";
import type { Homes } from "./homes.ts";
import type { House } from "./house.ts";
import type { Places } from "./places.ts";
import { type PlugSetup, Plugs, type PlugsParts } from "./plugs/plugs.ts";

export interface SwitchingParts
  extends Pick<PlugsParts, "baseTopic" | "publishOnce" | "trusted" | "memory" | "problems" | "log" | "onChange"> {
  readonly plugs: readonly PlugConfig[];
  readonly clock: Clock;
  readonly homes: Pick<Homes, "list" | "known">;
  readonly house: Pick<House, "snapshot">;
  readonly places: Pick<Places, "snapshots">;
  /** Told when the loop turns; absent for one that is not run. */
  readonly pulse?: Pick<Pulse, "turn" | "sleep"> | undefined;
  /** What a plan wants at a moment; null where there is no such plan, or nothing is known: that is OFF. */
  readonly planWanted: (plan: string, home: string | null, now: EpochMs) => Wanted | null;
}

type Signal = Pick<HomeSnapshot | PlaceSnapshot, "cheap" | "level" | "nextChangeAt">;

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
  const loop = new Edges(parts.clock, (now) => plugs.look(now), parts.pulse);
  return { plugs, loop };
}

function wantedOf(plug: PlugConfig, parts: SwitchingParts, now: EpochMs): Wanted | null {
  const { homes, house, places, planWanted } = parts;
  if (plug.plan !== undefined) return planWanted(plug.plan, plug.home ?? null, now);
  const known = homes.list();
  const home = known.find(({ id }) => id === plug.home);
  if (home) {
    tellHome(plug, null, parts, now);
    return wantedAt(home.name, house.snapshot(home, now));
  }
  const around = places.snapshots(now, new Set(known.map(({ id }) => id)));
  // The configuration names a place as it is called now; its id may be that of an earlier name.
  const found =
    around.find(({ place }) => place.id === plug.home) ?? around.find(({ place }) => slugOf(place.name) === plug.home);
  const ids = [...known.map(({ id }) => id), ...around.map(({ place }) => place.id)];
  if (homes.known || found) tellHome(plug, found ? null : ids, parts, now);
  return found ? wantedAt(found.place.name, found) : null;
}

/** What the signal of a home or place says. */
function wantedAt(name: string, { cheap, level, nextChangeAt }: Signal): Wanted | null {
  return cheap === null ? null : { on: cheap, until: nextChangeAt, reason: `the price at ${name} is ${level}` };
}

/** Which homes there are is known once the account told its addresses. `ids` are theirs where the plug's is none. */
function tellHome(plug: PlugConfig, ids: readonly string[] | null, { problems }: SwitchingParts, now: EpochMs): void {
  const subject = `home of plug ${plugId(plug)}`;
  if (ids === null) {
    problems.end(subject);
    return;
  }
  problems.start({
    code: "unknown_home",
    subject,
    since: now,
    names: { owner: `the plug ${plug.name}`, homes: ids.join(", ") || "the homes" },
    detail: unknownText("a home", plug.home ?? "", ids),
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
