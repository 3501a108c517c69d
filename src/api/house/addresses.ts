/** Endpoint that lists the addresses of the accounts. */

import { textIn } from "../../core/language/text.ts";
import type { Address } from "../../service/contract/resources.ts";
import { asTried } from "../../state/accounts/open-account.ts";
import { endpoint } from "../endpoint.ts";
import { described, list, namedObject, orNull, text, type ValueOf } from "../schema.ts";
import { tryAccount } from "../settings/try-connection.ts";

const listedAddress = () =>
  namedObject("ListedAddress", {
    id: text,
    label: text,
    address: text,
    region: text,
    home: described(orNull(text), "Id of its home; null if the configuration omits it."),
    capabilities: described(list(text), "The data that the service has for it."),
  });
const addresses = () =>
  namedObject("AddressesByAccount", {
    accounts: list(
      namedObject("AccountAddresses", {
        account: text,
        trouble: described(orNull(text), "Why the service did not list them, in English; null if it did."),
        addresses: list(listedAddress()),
      }),
    ),
  });

export type AddressesAnswer = ValueOf<typeof addresses>;

export const addressEndpoints = [
  endpoint("GET /local/v1/addresses", "listAddresses", "read", {
    summary:
      "The addresses of each account, and the data that the service has for them. Addresses that are not stored yet are requested from the service.",
    answer: addresses,
    async run(source) {
      const { accounts, homes, repository } = source.state;
      const knownOf = (account: string) =>
        repository.store.latest({ account, place: "", operation: "addresses", unit: "latest" }) as
          | readonly Address[]
          | null;
      const listed = [];
      for (const tried of accounts.consumers.map(asTried)) {
        const { name } = tried.account;
        const trial = knownOf(name) === null ? await tryAccount(source, tried) : null;
        const ids = new Map(homes.list().map((home) => [home.addressId, home.id]));
        const known = (knownOf(name) ?? []).map((address) => listedOf(address, ids));
        const trouble = trial && !trial.works ? `${trial.code}: ${textIn("en", trial.facts.detail ?? "")}` : null;
        listed.push({ account: name, trouble, addresses: known });
      }
      return { kind: "json", body: { accounts: listed } };
    },
  }),
];

function listedOf(address: Address, homeIds: ReadonlyMap<string, string>): ValueOf<typeof listedAddress> {
  const { id, label, formattedAddress, region, capabilities } = address;
  return {
    id,
    label,
    address: formattedAddress,
    region,
    home: homeIds.get(id) ?? null,
    capabilities: Object.keys(capabilities).filter((name) => (capabilities as Record<string, unknown>)[name] === true),
  };
}
