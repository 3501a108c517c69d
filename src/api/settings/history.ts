/**
 * The history over HTTP: the last states of `page.yaml` with what changed and the way back to one, and between them the
 * changes that are not in `page.yaml`.
 */
import { MAX_CHANGES, notedChanges } from "../../storage/noted-changes.ts";

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
          id: described(orNull(text), "Null for a change that is not in `page.yaml`."),
          until: described(text, "Time of the change that ended this state."),
          by: described(orNull(text), "Who made that change: the name of a key, or `MQTT`; null if it is not known."),
          differences: described(orNull(list(difference())), "What that change changed; null if it is not known."),
        }),
      ),
      "At most 20, the newest first.",
    ),
  });

/** State before a change. */
export type PageState = ValueOf<typeof historySchema>["states"][number];

export const historyEndpoints = [
  endpoint("GET /local/v1/history", "getHistory", "control", {
    summary: "The last 20 changes that were made over HTTP or MQTT, without secrets.",
    answer: historySchema,
    run({ history, storage }) {
      const { revision, states } = history.list();
      const all = [...states, ...notedChanges(storage.settings)].sort(
        (a, b) => Date.parse(b.until) - Date.parse(a.until),
      );
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
