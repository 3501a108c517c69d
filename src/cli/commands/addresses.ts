import type { AddressesAnswer } from "../../api/house/addresses.ts";
import { type Arguments, jsonOption } from "../arguments.ts";
import { bodyOf, withConnection } from "../connect.ts";
import { print, printJson } from "../output.ts";

export const line = {
  usage: "addresses",
  about:
    "Lists the addresses of the account and the data that the service has for each. Use the ids in homes[].address_id of\nthe configuration. Addresses that are not stored yet are requested from the service: one request per account.",
  options: jsonOption,
};

export async function main(given: Arguments): Promise<number> {
  const found = bodyOf(await withConnection(given, ({ ask }) => ask<AddressesAnswer>("/local/v1/addresses")));
  if (given.values.json === true) printJson(found);
  else print(found.accounts.map(accountText).join("\n\n"));
  return found.accounts.some(({ trouble }) => trouble !== null) ? 1 : 0;
}

function accountText({ account, addresses, trouble }: AddressesAnswer["accounts"][number]): string {
  const texts = addresses.map(({ id, label, address, region, home, capabilities }) =>
    [
      `${label}${home === null ? "  (not a home: `homes` in the configuration does not list it)" : `: home ${home}`}`,
      `  id       ${id}`,
      `  address  ${address}, ${region}`,
      `  has      ${capabilities.join(", ") || "nothing"}`,
    ].join("\n"),
  );
  const troubles = trouble === null ? [] : [`account ${account}: ${trouble}`];
  return [...texts, ...troubles].join("\n") || `account ${account} has no addresses`;
}
