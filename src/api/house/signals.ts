/** ON or OFF for an appliance: `cheap` by the parameters of the request, `signal` by a configured plan. */

import { cheapSpec } from "../../core/planning/cheap-query.ts";
import { planStatus } from "../../core/planning/snapshot/plan-payload.ts";
import type { PlanSnapshot } from "../../core/planning/snapshot/plan-snapshot.ts";
import { wire } from "../../core/text/wire.ts";
import { type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import type { CheapAnswer } from "../../state/cheap-queries.ts";
import { endpoint, HOME_ERRORS } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import { hours, omittable, price, required, timeOfDay } from "../parameters.ts";
import { described, instant, localTime, named, namedObject, number, oneOf, orNull, text } from "../schema.ts";
import { type PriceView, viewNamed } from "./local-source.ts";
import { signalAnswer } from "./plain-text.ts";
import { identity, planned, statusProperties } from "./plan-schemas.ts";
import { noPlan } from "./plans.ts";

const asked = () =>
  namedObject("CheapQuestion", {
    kind: named("CheapKind", oneOf(["window", "slots"])),
    hours: number,
    from: orNull(localTime),
    ready_by: orNull(localTime),
    max_price: orNull(number),
  });

export const signalEndpoints = [
  endpoint("GET /local/v1/cheap", "getCheap", "read", {
    summary: "ON during the cheapest hours of a window; needs no configured plan.",
    params: {
      home: parameter.home,
      hours: required(hours, "Length in each window: hours, or a text such as `45m` or `1h30m`.", "3"),
      ready_by: omittable(
        timeOfDay,
        "End of the window each day, in local time. By default the time of `from`, without both midnight.",
        "07:00",
      ),
      from: omittable(
        timeOfDay,
        "Start of the window each day, in local time. By default the end of the previous window.",
        "22:00",
      ),
      kind: omittable(
        oneOf(["window", "slots"]),
        "`window`: all hours in one run (default). `slots`: the cheapest hours, split into several runs.",
        "slots",
      ),
      max_price: omittable(price, "Maximum price: for `window` of the average, for `slots` of each hour.", "2.50"),
      format: parameter.format,
    },
    answer: () =>
      namedObject("Cheap", {
        now: instant,
        id: text,
        name: text,
        ...planned(),
        asked: asked(),
        window: orNull(namedObject("Window", { start: instant, end: instant })),
        until: orNull(described(instant, "Time of the next change of this response.")),
      }),
    text: "signal",
    errors: HOME_ERRORS,
    example: "/local/v1/cheap?home=home&hours=3&ready_by=07:00",
    run(source, { home, kind, hours, from, ready_by, max_price }, request) {
      const { now } = request;
      const view = viewNamed(source, home, now);
      if (view.kind === "error") return view;
      const settings = {
        kind: kind ?? "window",
        hoursMs: hours,
        from,
        readyBy: ready_by,
        maxPrice: max_price,
      } as const;
      const read = cheapSpec(settings);
      if (read.kind === "mistake") return localError("invalid_parameter", read.said);
      const answer = source.askCheap(view, read.spec, now);
      const { on, reason } = answer.plan;
      if (!answer.isKnown) return localError("not_known", reason.text, retryAfterSec(answer, now));
      return signalAnswer({ on, reason: reason.text, body: () => bodyOf(view, answer, now) }, request);
    },
  }),
  endpoint("GET /local/v1/signal/:plan", "getSignal", "read", {
    summary: "ON while a plan runs its appliance.",
    params: {
      plan: parameter.plan,
      code: omittable(
        parameter.flag,
        "`1`: status 200 while ON and 400 while OFF, for devices that read only the status.",
        "1",
      ),
      format: parameter.format,
    },
    answer: () => namedObject("Signal", { ...identity, ...statusProperties() }),
    text: "signal",
    errors: HOME_ERRORS,
    statuses: { 400: "With `code=1`: OFF." },
    example: "/local/v1/signal/washer?code=1",
    run(source, { plan: id, code }, request) {
      const plan = source.plans.snapshot(id);
      if (!plan) return noPlan(source, id);
      const unknown = unknownSignal(plan);
      if (unknown) return unknown;
      const { on, reason, definition } = plan;
      const body = () => ({ id, name: definition.name, home: definition.home, on, ...planStatus(plan) });
      return signalAnswer({ on, reason: reason.text, status: code && !on ? 400 : 200, body }, request);
    },
  }),
];

function bodyOf(view: PriceView, { plan, window, until }: CheapAnswer, now: EpochMs): object {
  const {
    last_run: _run,
    month: _month,
    month_before: _before,
    learned: _none,
    settings,
    ...status
  } = planStatus(plan);
  const { hours, from, ready_by, max_price } = settings;
  return {
    ...wire({ now, id: view.id, name: view.name, on: plan.on }),
    ...status,
    asked: {
      kind: plan.definition.spec.kind,
      ...Object.fromEntries(
        Object.entries({ hours, from, ready_by, max_price }).map(([name, setting]) => [name, setting?.value ?? null]),
      ),
    },
    ...wire({ window: window && { start: window.start, end: window.end }, until }),
  };
}

/** Maximum `Retry-After`: 15 min, because new prices may arrive before the next known change. */
const MAX_RETRY_SEC = 900;

function retryAfterSec({ until }: CheapAnswer, now: EpochMs): number {
  const left = until === null ? MAX_RETRY_SEC : Math.ceil((until - now) / SECOND_MS);
  return Math.max(1, Math.min(left, MAX_RETRY_SEC));
}

/** Returns an error if a plan's OFF only stands for unknown prices. With `when_lost`, OFF is its own decision. */
function unknownSignal({ on, state, reason, definition }: PlanSnapshot): LocalError | null {
  // Without its home a plan decides nothing.
  const isDecided = on || (definition.spec.whenLost !== undefined && state !== "impossible");
  const isUnknown = state === "no_prices" || reason.code === "clock_not_trusted" || reason.code === "unknown_home";
  return isUnknown && !isDecided ? localError("not_known", reason.text) : null;
}
