/** Schema of `api:` in the configuration: the API on the LAN, its keys and limits. */
import * as z from "zod/mini";
import { message } from "../core/language/text.ts";
import { key } from "./key-description.ts";
import { tlsSection } from "./tls-schema.ts";
import { type Expected, hashEncoding, mistakes, port, text, textLike, unique } from "./values.ts";

const atLeastOne = z.int().check(z.minimum(1));
const hostName = textLike(/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/, "mistake.expected_host_name");
const origin = textLike(/^https?:\/\/[a-z0-9_.:[\]-]+$/, "mistake.expected_origin");

const OWN_LIMIT = "Limit of this key, if it differs from that of all keys.";
const ownLimits = () => ({
  requests_per_minute: key(z.optional(atLeastOne), OWN_LIMIT),
  requests_per_day: key(z.optional(atLeastOne), OWN_LIMIT),
});
/** A device's key to the LAN API. */
const apiKey = z.strictObject({
  name: key(text, "Name of the device."),
  key: key(text, "The key: any long random text. The device sends it as a bearer token."),
  scopes: key(
    z.optional(z.array(z.enum(["read", "control", "admin"]))),
    "What the key may do: read, also control plans, or also change connections.",
  ),
  ...ownLimits(),
});
/** A key and secret from which a device makes its token, as for the service's third-party interface. */
const apiKeyAndSecret = z.strictObject({
  name: key(text, "Name of the device."),
  api_key: key(text, "The key, which is part of the token."),
  api_secret: key(text, "The secret, which signs the token and is not part of it."),
  hash_encoding: key(z._default(hashEncoding, "hex"), "Encoding of the hash in the device's token."),
  ...ownLimits(),
});

/** Requires a different name for every key of either kind: quotas are counted per name. */
const ownNames = mistakes<{ keys: { name: string }[]; third_party_keys?: { name: string }[] | undefined }>(
  ({ keys, third_party_keys = [] }) => {
    const names = new Set(keys.map(({ name }) => name.toLowerCase()));
    return third_party_keys.flatMap(({ name }, i) =>
      names.has(name.toLowerCase()) ? [{ path: ["third_party_keys", i, "name"], ...message("mistake.key_name") }] : [],
    );
  },
);

export const apiSchema = z
  .strictObject({
    host: key(z._default(text, "0.0.0.0"), "Address to listen on; 127.0.0.1 allows this machine only."),
    port: key(z._default(port, 8080), "Port for HTTP, or for HTTPS with `api.tls`."),
    tls: tlsSection(
      "Certificate for HTTPS without a proxy. The API and the page then use HTTPS only. A changed file applies within a minute.",
    ),
    url: key(
      z.optional(z.url({ protocol: /^https?$/, error: "mistake.expected_web_url" satisfies Expected })),
      "URL of the dashboard for browsers. Every device of elbro in Home Assistant links to it.",
      { example: "http://192.168.1.5:8080" },
    ),
    keys: key(
      z._default(z.array(apiKey).check(unique("name"), unique("key")), []),
      "Keys of devices, each with a quota of its own. `elbro keys create NAME` creates keys without this list.",
      { items: ["{ name: kitchen, key: a-long-random-text }"] },
    ),
    third_party_keys: key(
      z.optional(z.array(apiKeyAndSecret).check(unique("name"), unique("api_key"))),
      "Keys and secrets of devices that use the third-party interface. Their token is made from both.",
      { items: ["{ name: inverter, api_key: a-name-for-it, api_secret: a-long-random-text }"] },
    ),
    requests_per_minute: key(z._default(atLeastOne, 60), "Requests per minute and key."),
    requests_per_day: key(z._default(atLeastOne, 2000), "Requests per day (UTC) and key."),
    hosts: key(
      z.optional(z.array(hostName)),
      "Further host names of this machine, as in a browser's address bar, for example behind a proxy. IP addresses, names without a dot and .local, .lan and .home.arpa always work.",
      { items: ["elbro.example.org"] },
    ),
    cors: key(
      z.optional(z.array(origin)),
      "Origins of web pages on other servers that may use this API from a browser.",
      { items: ["https://panel.example.org"] },
    ),
    frame_ancestors: key(
      z.optional(z.array(origin)),
      "Sites whose pages may show the dashboard in a frame, such as Home Assistant's with a web page card. Browsers send the session only to a page with the same host name; on another one, use `dashboard: open`.",
      { items: ["http://192.168.1.10:8123"] },
    ),
    dashboard: key(
      z.optional(z.enum(["open", "key"])),
      "Access to the dashboard: with a key, or for everybody on the LAN.",
      { example: "key" },
    ),
  })
  .check(ownNames);
