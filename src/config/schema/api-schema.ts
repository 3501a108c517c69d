/** Schema of `api:` in the configuration: the API on the LAN, its keys and limits. */
import * as z from "zod/mini";
import { message } from "../../core/language/text.ts";
import { secret } from "../overlay/secret-servers.ts";
import { tlsSection } from "./tls-schema.ts";
import { hashEncoding, mistakes, oneLine, port, textLike, unique, urlWith } from "./values.ts";

const atLeastOne = z.int().check(z.minimum(1));
const hostName = textLike(/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/, "mistake.expected_host_name");
const origin = textLike(/^https?:\/\/[a-z0-9_.:[\]-]+$/, "mistake.expected_origin");

/** Limits of a key, if they differ from those of all keys. */
const ownLimits = { requests_per_minute: z.optional(atLeastOne), requests_per_day: z.optional(atLeastOne) };
/** A device's key to the LAN API. */
const apiKey = z.strictObject({
  name: oneLine,
  key: secret("nobody", oneLine),
  scopes: z.optional(z.array(z.enum(["read", "control", "admin"]))),
  ...ownLimits,
});
/** A key and secret from which a device makes its token, as for the service's third-party interface. */
const apiKeyAndSecret = z.strictObject({
  name: oneLine,
  api_key: secret("nobody", oneLine),
  api_secret: secret("nobody", oneLine),
  hash_encoding: z._default(hashEncoding, "hex"),
  ...ownLimits,
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
    host: z._default(oneLine, "0.0.0.0"),
    port: z._default(port, 8080),
    tls: tlsSection,
    url: z.optional(urlWith(/^https?$/, "mistake.expected_web_url")),
    keys: z._default(z.array(apiKey).check(unique("name"), unique("key")), []),
    third_party_keys: z.optional(z.array(apiKeyAndSecret).check(unique("name"), unique("api_key"))),
    requests_per_minute: z._default(atLeastOne, 60),
    requests_per_day: z._default(atLeastOne, 2000),
    hosts: z.optional(z.array(hostName)),
    cors: z.optional(z.array(origin)),
    frame_ancestors: z.optional(z.array(origin)),
    dashboard: z.optional(z.enum(["open", "key"])),
  })
  .check(ownNames);
