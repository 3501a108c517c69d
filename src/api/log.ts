/** Endpoint that returns the last log lines. */

import { type LogEntry, logLevels } from "../core/runtime/log-memory.ts";
import { formatInstant } from "../core/time/interval.ts";
import { instant, integer, list, named, object, text } from "../http/json-schema.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import * as parameter from "./parameters.ts";

const MAX_LINES = 500;

export const logEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/local/v1/log",
    operationId: "getLog",
    scope: "control",
    summary: "The last lines of the log since the start, oldest first, without secrets.",
    parameters: {
      level: {
        kind: parameter.oneOf(logLevels),
        about: "Minimum level; `info` by default. `debug` needs `log.level: debug`.",
        example: "warn",
      },
      after: { kind: parameter.count, about: "Only lines after the one with this `id`.", example: "120" },
    },
    schema: named(
      "Log",
      object({
        started: { ...instant, description: "Start of elbro, after which the ids begin at 1 again." },
        lines: list(
          named(
            "LogLine",
            object({
              ...{ id: integer, time: instant, level: { type: "string", enum: logLevels }, text },
              facts: { ...text, description: "The fields as JSON; empty without fields." },
            }),
          ),
        ),
      }),
    ),
    csv: { list: "lines", columns: { time: "time", level: "", text: "", facts: "" } },
    errors: ["invalid_parameter"],
    example: "/local/v1/log?level=warn",
    answer({ logLines }, { level, after }) {
      const lines = logLines.list({ level: level ?? "info", after: after ?? 0, most: MAX_LINES });
      return { kind: "json", body: { started: formatInstant(logLines.startedAt), lines: lines.map(lineOf) } };
    },
  }),
];

export interface LogAnswer {
  readonly started: string;
  readonly lines: readonly LogLineAnswer[];
}

/** A log line in a response. */
export type LogLineAnswer = ReturnType<typeof lineOf>;

function lineOf({ at, ...line }: LogEntry) {
  return { ...line, time: formatInstant(at) };
}
