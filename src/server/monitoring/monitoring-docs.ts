/** Tables of events and figures in the documentation. */
import { eventRows } from "../events/event-source.ts";
import { metricRows } from "./metrics.ts";

/** Table of events in docs/http-api.md. Shape: Markdown without a line break at its ends. */
export function eventDocs(): string {
  const rows = [
    {
      type: "hello",
      about: "`version`, `started_at`, `resumed`: whether what was missed follows, or the present state",
    },
    ...eventRows,
    { type: "data", about: "`home`, `series`, `unit`: a series has other rows than before; read it again" },
    { type: "ready", about: "nothing: all that was to be caught up with is told" },
  ];
  return table(
    ["event", "data"],
    rows.map(({ type, about }) => [`\`${type}\``, about]),
  );
}

/** Table of figures in docs/monitoring.md. */
export function metricDocs(): string {
  return table(
    ["figure", "kind", "labels", "what it says"],
    metricRows.map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(" "),
      help,
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
