import type { AddressesAnswer } from "../../api/house/addresses.ts";
import { type Arguments, BadArgument, jsonOption, textArgument } from "../arguments.ts";
import { bodyOf, withConnection } from "../connect.ts";
import { print, printJson } from "../output.ts";

export const line = {
  usage: "addresses",
  about:
    "Lists the addresses of the account and the data that the service has for each. Use the ids in homes[].address_id of\nthe configuration. Addresses that are not stored yet are requested from the service: one request per account.\nAn address that is gone leaves a former home, whose data stays readable until you forget it or say that you moved.",
  options: {
    ...jsonOption,
    forget: { type: "string", value: "HOME", about: "forgets a former home" },
    moved: {
      type: "string",
      value: "OLD=NEW",
      about: "gives the id, plans and entities of a former home to another home",
    },
  } as const,
};

export async function main(given: Arguments): Promise<number> {
  const [forgotten, moved] = [textArgument(given.values.forget), textArgument(given.values.moved)];
  const [home = "", to] = moved?.split("=") ?? [forgotten];
  if (moved !== undefined && (home === "" || !to)) throw new BadArgument("--moved takes OLD=NEW, the ids of two homes");
  const change = { method: "POST", body: { moved_to: to ?? null } } as const;
  const found = await withConnection(given, async ({ ask }) => {
    if (home !== "") bodyOf(await ask(`/local/v1/former-homes/${encodeURIComponent(home)}`, change));
    return bodyOf(await ask<AddressesAnswer>("/local/v1/addresses"));
  });
  if (given.values.json === true) printJson(found);
  else {
    const former = found.former.map(
      ({ home: id, name, address }) => `${name}: former home ${id}\n  id       ${address}`,
    );
    print([...found.accounts.map(accountText), ...former].join("\n\n"));
  }
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
