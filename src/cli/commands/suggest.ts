import { loadConfiguration } from "../../config/reading/load-config-file.ts";
import type { BodyOf } from "../../service/contract/operations.ts";
import { type Arguments, jsonOption } from "../arguments.ts";
import { withConnection } from "../connect.ts";
import { isDemo } from "../demo.ts";
import { failed, print, printJson } from "../output.ts";

export const line = {
  usage: "suggest TEXT",
  about:
    "Searches addresses that begin with TEXT, for third_party.places in the configuration. Uses one request of the third-party\ninterface; the result is stored for a month.",
  words: [1, 1] as const,
  options: jsonOption,
};

const NO_KEY = "the address search needs third_party.api_key and third_party.api_secret";

export async function main(given: Arguments): Promise<number> {
  const { config } = loadConfiguration(given.configPath, process.env);
  const target = `/thirdParty/prices/addresses/suggestions/${encodeURIComponent(given.words[0] ?? "")}`;
  const found =
    isDemo(config) || config.third_party
      ? await withConnection(given, ({ ask }) => ask<BodyOf<"addressSuggestions">>(target))
      : ({ kind: "error", reason: NO_KEY } as const);
  if (found.kind === "error") return failed(found.reason);
  if (given.values.json === true) printJson(found.body);
  else if (found.body.length === 0) print("no address found");
  else for (const { id, suggestion } of found.body) print(`${suggestion}\n  id  ${id}`);
  return 0;
}
