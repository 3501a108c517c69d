/** Endpoint that lists the addresses of the accounts. */

import { message, textIn } from "../../core/language/text.ts";
import { localError } from "../../http/errors.ts";
import type { Address } from "../../service/contract/resources.ts";
import { asTried } from "../../state/accounts/open-account.ts";
import type { State } from "../../state/open-state.ts";
import { noteChange } from "../../storage/noted-changes.ts";
import { endpoint } from "../endpoint.ts";
import { homeInPath } from "../parameters.ts";
import { described, list, named, namedObject, oneOf, orNull, strictObject, text, type ValueOf } from "../schema.ts";
import { BODY_ERRORS } from "../settings/configuration.ts";
import { tryAccount } from "../settings/try-connection.ts";
import { measures } from "./results.ts";

const listedAddress = () =>
  namedObject("ListedAddress", {
    id: text,
    label: text,
    address: text,
    region: text,
    home: described(orNull(text), "Id of its home; null if the configuration omits it."),
    capabilities: described(list(text), "The data that the service has for it."),
  });
const measureNames = Object.keys(measures) as (keyof typeof measures)[];
const formerHome = {
  ...{ home: text, name: text, address: text },
  measures: described(list(oneOf(measureNames)), "What is stored of it, for `/local/v1/usage`."),
};
const formerHomes = () => list(namedObject("FormerHome", formerHome));
const addresses = () =>
  namedObject("AddressesByAccount", {
    former: described(formerHomes(), "Homes whose addresses are in no list any more."),
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
      return { kind: "json", body: { former: formerIn(source.state), accounts: listed } };
    },
  }),
  endpoint("POST /local/v1/former-homes/:home", "endFormerHome", "control", {
    summary: "Forgets a former home, or lets the home at the new address take over its id, plans and entities.",
    params: { home: homeInPath },
    answer: () => namedObject("FormerHomes", { former: formerHomes() }),
    errors: ["invalid_parameter", "resource_not_found", ...BODY_ERRORS],
    example: "/local/v1/former-homes/home",
    body: {
      schema: () =>
        named(
          "FormerHomeChange",
          strictObject({
            moved_to: described(orNull(text), "The home that takes over; null forgets the former home."),
          }),
        ),
      example: { moved_to: "house" },
    },
    run({ state, storage }, { home }, { body: { moved_to: to }, now, caller }) {
      if (!state.endFormer(home, to))
        return localError("resource_not_found", message("refused.former_home", { home, to: to ?? "–" }));
      noteChange(storage.settings, { now, caller }, [{ path: `homes.${home}`, before: home, after: to }]);
      return { kind: "json", body: { former: formerIn(state) } };
    },
  }),
];

function formerIn({ homes, repository: { store } }: Pick<State, "homes" | "repository">) {
  return homes.former.map(({ id, name, account, addressId: place }) => {
    const isStored = (name: keyof typeof measures) =>
      store.envelope({ account, place, operation: measures[name], unit: "hour" }) !== null;
    return { home: id, name, address: place, measures: measureNames.filter(isStored) };
  });
}

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
