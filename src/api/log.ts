/** Endpoint that returns the last log lines. */

import { logLevels } from "../core/runtime/log-memory.ts";
import { formatInstant } from "../core/time/interval.ts";
import { endpoint } from "./endpoint.ts";
import { countText, omittable } from "./parameters.ts";
import { described, instant, integer, list, namedObject, oneOf, text, type ValueOf } from "./schema.ts";

const MAX_LINES = 500;

const log = () =>
  namedObject("Log", {
    started: described(instant, "Start of elbro, after which the ids begin at 1 again."),
    lines: list(
      namedObject("LogLine", {
        id: integer,
        time: instant,
        level: oneOf(logLevels),
        text,
        facts: described(text, "The fields as JSON; empty without fields."),
      }),
    ),
  });

export const logEndpoints = [
  endpoint("GET /local/v1/log", "getLog", "control", {
    summary: "The last lines of the log since the start, oldest first, without secrets.",
    params: {
      level: omittable(oneOf(logLevels), "Minimum level; `info` by default. `debug` needs `log.level: debug`.", "warn"),
      after: omittable(countText, "Only lines after the one with this `id`.", "120"),
    },
    answer: log,
    csv: { list: "lines", columns: "time:time level text facts" },
    errors: ["invalid_parameter"],
    example: "/local/v1/log?level=warn",
    run({ logLines }, { level, after }) {
      const found = logLines.list(level ?? "info", after ?? 0, MAX_LINES);
      const lines = found.map(({ at, ...line }) => ({ ...line, time: formatInstant(at) }));
      return { kind: "json", body: { started: formatInstant(logLines.startedAt), lines } };
    },
  }),
];

export type LogLineAnswer = ValueOf<typeof log>["lines"][number];
