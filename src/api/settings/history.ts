/** The history of `page.yaml` over HTTP: its last states with what changed, and the way back to one. */

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
          id: text,
          until: described(text, "Time of the change that ended this state."),
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
    summary: "The last 20 changes that were saved over HTTP, without secrets.",
    answer: historySchema,
    run: ({ history }) => withRevision(history.list()),
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
