/** Schema of `api:` in the configuration: the API on the LAN, its keys and limits. */
import * as z from "zod/mini";
import { key } from "./key-description.ts";
import { hashEncoding, mistakes, port, text, textLike, unique } from "./values.ts";

const atLeastOne = z.int().check(z.minimum(1));
const hostName = textLike(
  /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/,
  "expected a host name in lower case without a port, such as elbro.example.org or *.example.org",
);
const origin = textLike(
  /^https?:\/\/[a-z0-9_.:[\]-]+$/,
  "expected where a page comes from, such as https://panel.example.org, without a path",
);

const OWN_LIMIT = "Its own limit, where that is another than that of all keys.";
const ownLimits = () => ({
  requests_per_minute: key(z.optional(atLeastOne), OWN_LIMIT),
  requests_per_day: key(z.optional(atLeastOne), OWN_LIMIT),
});
/** A device's key to the LAN API. */
const apiKey = z.strictObject({
  name: key(text, "What the device is called."),
  key: key(text, "The key: any long random text. The device sends it as a bearer key."),
  scopes: key(z.optional(z.array(z.enum(["read", "control"]))), "What it may do: read, or also control plans."),
  ...ownLimits(),
});
/** A key and secret from which a device makes its token, as for the service's third-party interface. */
const apiKeyAndSecret = z.strictObject({
  name: key(text, "What the device is called."),
  api_key: key(text, "The key, which the token tells."),
  api_secret: key(text, "The secret, which only proves it."),
  hash_encoding: key(z._default(hashEncoding, "hex"), "How the device writes the hash in its token."),
  ...ownLimits(),
});

/** Requires a different name for every key of either kind: quotas are counted per name. */
const ownNames = mistakes<{ keys: { name: string }[]; third_party_keys?: { name: string }[] | undefined }>(
  ({ keys, third_party_keys = [] }) => {
    const names = new Set(keys.map(({ name }) => name.toLowerCase()));
    const text = "is the name of one of api.keys as well; each needs its own";
    return third_party_keys.flatMap(({ name }, i) =>
      names.has(name.toLowerCase()) ? [{ path: ["third_party_keys", i, "name"], text }] : [],
    );
  },
);

export const apiSchema = z
  .strictObject({
    host: key(z._default(text, "0.0.0.0"), "Address to listen on; 127.0.0.1 for this machine only."),
    port: key(z._default(port, 8080), "Port for HTTP."),
    url: key(
      z.optional(z.url({ protocol: /^https?$/, error: "expected a URL that begins with http:// or https://" })),
      "Where browsers reach the dashboard. Home Assistant links to it from every device of elbro.",
      { example: "http://192.168.1.5:8080" },
    ),
    keys: key(
      z._default(z.array(apiKey).check(unique("name"), unique("key")), []),
      "The keys of devices, each with a quota of its own. `elbro keys create NAME` makes them without this list.",
      { items: ["{ name: kitchen, key: a-long-random-text }"] },
    ),
    third_party_keys: key(
      z.optional(z.array(apiKeyAndSecret).check(unique("name"), unique("api_key"))),
      "Keys and secrets of devices that ask the third-party interface and make their token of both.",
      { items: ["{ name: inverter, api_key: a-name-for-it, api_secret: a-long-random-text }"] },
    ),
    requests_per_minute: key(z._default(atLeastOne, 60), "Requests a key has in a minute."),
    requests_per_day: key(z._default(atLeastOne, 2000), "Requests a key has in a day (UTC)."),
    hosts: key(
      z.optional(z.array(hostName)),
      "Names of this machine beside IP addresses, names without a dot and those of a home network (.local, .lan, .home.arpa): what a browser has in its address bar, such as behind a proxy.",
      { items: ["elbro.example.org"] },
    ),
    cors: key(
      z.optional(z.array(origin)),
      "Pages of other servers that may ask this API from a browser: where they come from.",
      { items: ["https://panel.example.org"] },
    ),
    dashboard: key(
      z.optional(z.enum(["open", "key"])),
      "Who sees the dashboard: whoever has a key, or everybody on the LAN.",
      { example: "key" },
    ),
  })
  .check(ownNames);
