import type { Given } from "../arguments.ts";
import { withAdminConnection } from "../connect.ts";

export const line = {
  usage: "suggest TEXT",
  about:
    "Searches addresses that begin with TEXT, for third_party.places in the configuration. Uses one request of the third-party\ninterface; the result is stored for a month.",
  words: [1, 1] as const,
};

/** `elbro suggest "street 1"` */
export async function main(given: Given): Promise<number> {
  const [text = ""] = given.words;
  const { suggestions, trouble } = await withAdminConnection(given, (admin) => admin.ask({ ask: "suggest", text }));
  for (const found of suggestions) process.stdout.write(`${found.text}\n  id  ${found.id}\n`);
  if (trouble !== null) process.stderr.write(`elbro: ${trouble}\n`);
  else if (suggestions.length === 0) process.stdout.write("no address found\n");
  return trouble === null ? 0 : 1;
}
