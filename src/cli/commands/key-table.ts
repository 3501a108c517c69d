/** What `elbro keys list` prints. */

import { commandHint } from "../../config/command-hint.ts";
import type { Config } from "../../config/schema.ts";
import { StartError } from "../../core/status/start-error.ts";
import type { KeyFile } from "../../storage/api-key-file.ts";
import { KeyUseFile } from "../../storage/api-key-usage-file.ts";

const HEAD = ["name", "opens", "may", "a minute", "a day", "made", "last used"] as const;
const IN_CONFIGURATION = "in the configuration";
const DATE_LENGTH = "2026-11-21".length;

/** One line per key, of the configuration and of the command line. Errors: throws a StartError where the keys cannot be read. */
export function keyTable({ api, data_dir }: Pick<Config, "api" | "data_dir">, file: KeyFile): string {
  const reading = file.read();
  if (reading.kind === "unreadable") throw new StartError(`${file.path} cannot be read: ${reading.why}`);
  const uses = new KeyUseFile(data_dir).read();
  const entries = [
    ...api.keys.map((key) => ({ kind: "bearer", scopes: ["read"], created: IN_CONFIGURATION, ...key })),
    ...(api.third_party_keys ?? []).map((key) => ({
      ...{ kind: "third_party", scopes: ["read"], created: IN_CONFIGURATION },
      ...key,
    })),
    ...reading.keys,
  ];
  if (entries.length === 0) return `There is no key. One is made by: ${commandHint(process)("keys create NAME")}\n`;
  const rows = entries.map((key) => {
    const use = uses[key.name];
    return [
      key.name,
      key.kind === "bearer" ? "all" : "/thirdParty",
      (key.scopes ?? ["read"]).join(", "),
      String(key.requests_per_minute ?? api.requests_per_minute),
      String(key.requests_per_day ?? api.requests_per_day),
      key.created,
      use ? new Date(use.day.start).toISOString().slice(0, DATE_LENGTH) : "never",
    ];
  });
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  return [HEAD, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
