/**
 * The history over HTTP: the last states of `page.yaml` with what changed and the way back to one, and between them the
 * settings of plans that were adjusted and the one-time plans, which are not in `page.yaml`.
 */
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";

import { endpoint } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import { anyValue, described, list, namedObject, orNull, text, type ValueOf } from "../schema.ts";
import { callerOf, edit, editedAnswer, withRevision } from "./configuration.ts";

const difference = () =>
  namedObject("PageDifference", {
    path: described(text, "Path of the configuration; an entry by its id, such as `plans.car.hours`."),
    before: described(anyValue, "Null if it was not there. A secret is `(set)`."),
    after: described(anyValue, "Null if it is not there any more."),
  });
const historySchema = () =>
  namedObject("History", {
    revision: described(text, "Revision for `If-Match`, as for plans."),
    states: described(
      list(
        namedObject("PageState", {
          id: described(orNull(text), "Null for a change of a plan that is not in `page.yaml`."),
          until: described(text, "Time of the change that ended this state."),
          by: described(orNull(text), "Who made that change; null if it is not known."),
          differences: described(orNull(list(difference())), "What that change changed; null if it is not known."),
        }),
      ),
      "At most 20, the newest first.",
    ),
  });

/** State before a change. */
export type PageState = ValueOf<typeof historySchema>["states"][number];
type PageDifference = NonNullable<PageState["differences"]>[number];

const MAX_CHANGES = 20;
const ADJUSTED = "adjusted_plans";
/** The digest of the value has already shown that it is intact. */
const storedStates = z.array(z.custom<PageState>());

function adjusted(memory: KeyValue): readonly PageState[] {
  return readJson(memory, ADJUSTED, storedStates) ?? [];
}

/** Keeps a change of plans that is not in `page.yaml` for the history. */
export function noteAdjusted(
  memory: KeyValue,
  { now, caller }: { readonly now: EpochMs; readonly caller: string | null },
  differences: readonly PageDifference[],
): void {
  if (differences.length === 0) return;
  const state = { id: null, until: formatInstant(now), by: caller, differences };
  memory.write(ADJUSTED, JSON.stringify([state, ...adjusted(memory)].slice(0, MAX_CHANGES)));
}

export const historyEndpoints = [
  endpoint("GET /local/v1/history", "getHistory", "control", {
    summary: "The last 20 changes that were made over HTTP, without secrets.",
    answer: historySchema,
    run({ history, storage }) {
      const { revision, states } = history.list();
      const all = [...states, ...adjusted(storage.settings)].sort((a, b) => Date.parse(b.until) - Date.parse(a.until));
      return withRevision({ revision, states: all.slice(0, MAX_CHANGES) });
    },
  }),
  endpoint("POST /local/v1/history/:state", "restoreState", "control", {
    summary:
      "Makes plans, plugs, settings and connections as they were before a change. A replaced secret is not kept; connections need the scope `admin`.",
    params: { state: parameter.state },
    ...edit,
    example: "/local/v1/history/000001",
    async run({ history }, { state }, request) {
      return editedAnswer(await history.restore(state, callerOf(request)), request);
    },
  }),
];
