/**
 * The configuration: one schema gives types, defaults, validation, environment names and the documentation.
 * Every object is strict: a key that is not here is a mistake, not a wish.
 */
import * as z from "zod/mini";
import { attributeFormats } from "../core/prices/home-snapshot.ts";
import { plansSchema } from "./plan-schema.ts";
import { plugs } from "./plug-schema.ts";
import { referenceMistakes } from "./references.ts";
import { slug, text, topic } from "./values.ts";

const port = z.int().check(z.minimum(0), z.maximum(65_535));

/** Every item of a list has another value for a key; what has none of its own is passed over. */
function unique<Item>(key: keyof Item & string) {
  return z.check<Item[]>(({ value, issues }) => {
    const seen = new Map<unknown, number>();
    for (const [i, item] of value.entries()) {
      const name = typeof item[key] === "string" ? item[key].toLowerCase() : item[key];
      const first = seen.get(name);
      if (first === undefined) seen.set(name, i);
      else if (name !== undefined)
        issues.push({
          code: "custom",
          continue: true,
          message: `is the same as that of [${first}]; each needs its own`,
          path: [i, key],
          input: value,
        });
    }
  });
}

/** Two keys that are of use together only. */
function together<Section>(one: keyof Section & string, other: keyof Section & string) {
  return z.check<Section>(({ value, issues }) => {
    for (const [given, missing] of [[one, other] as const, [other, one] as const])
      if (value[given] !== undefined && value[missing] === undefined)
        issues.push({
          code: "custom",
          continue: true,
          message: `expected with ${given}, found nothing`,
          path: [missing],
          input: value,
        });
  });
}

const place = z
  .strictObject({
    name: text,
    region: z.optional(text),
    latitude: z.optional(z.number().check(z.minimum(-90), z.maximum(90))),
    longitude: z.optional(z.number().check(z.minimum(-180), z.maximum(180))),
    address: z.optional(text),
  })
  .check(
    z.refine(
      ({ region, latitude, longitude, address }) =>
        (latitude === undefined) === (longitude === undefined) &&
        [region, latitude, address].filter((given) => given !== undefined).length === 1,
      "expected one of region, address, or latitude with longitude",
    ),
  );

const ratio = z.number().check(z.minimum(0), z.maximum(10));
const DEFAULT_LEVELS = { very_cheap: 0.6, cheap: 0.9, normal: 1.15, expensive: 1.4 };
const levels = z
  .strictObject({
    very_cheap: z._default(ratio, DEFAULT_LEVELS.very_cheap),
    cheap: z._default(ratio, DEFAULT_LEVELS.cheap),
    normal: z._default(ratio, DEFAULT_LEVELS.normal),
    expensive: z._default(ratio, DEFAULT_LEVELS.expensive),
  })
  .check(
    z.refine(
      ({ very_cheap, cheap, normal, expensive }) => very_cheap < cheap && cheap < normal && normal < expensive,
      "expected very_cheap < cheap < normal < expensive: ratios of the mean of the last three days",
    ),
  );

/** The name under which the third-party account is kept. */
const accountName = slug.check(z.refine((name) => name !== "third_party", "expected another name than third_party"));
const consumer = z.strictObject({ name: z._default(accountName, "consumer"), api_key: z.optional(text) });

const limits = {
  requests_per_minute: z.optional(z.int().check(z.minimum(1))),
  requests_per_day: z.optional(z.int().check(z.minimum(1))),
};
/** A device's key to the LAN API. */
const apiKey = z.strictObject({
  name: text,
  key: text,
  scopes: z.optional(z.array(z.enum(["read", "control"]))),
  ...limits,
});
/** A key and secret of which a device makes its token, as for the service's third-party interface. */
const apiKeyAndSecret = z.strictObject({
  name: text,
  api_key: text,
  api_secret: text,
  hash_encoding: z._default(z.enum(["hex", "base64"]), "hex"),
  ...limits,
});
const hostName = z
  .string()
  .check(
    z.regex(
      /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/,
      "expected a host name in lower case without a port, such as elbro.example.org or *.example.org",
    ),
  );
const origin = z
  .string()
  .check(
    z.regex(
      /^https?:\/\/[a-z0-9_.:[\]-]+$/,
      "expected where a page comes from, such as https://panel.example.org, without a path",
    ),
  );

/** No two keys of the LAN API, of whichever kind, have one name: it is what their quotas are counted by. */
const ownNames = z.check<{ keys: { name: string }[]; third_party_keys?: { name: string }[] | undefined }>(
  ({ value, issues }) => {
    const names = new Set(value.keys.map(({ name }) => name.toLowerCase()));
    for (const [i, { name }] of (value.third_party_keys ?? []).entries())
      if (names.has(name.toLowerCase()))
        issues.push({
          code: "custom",
          continue: true,
          message: "is the name of one of api.keys as well; each needs its own",
          path: ["third_party_keys", i, "name"],
          input: value,
        });
  },
);

const sections = z.strictObject({
  service: z._default(
    z.strictObject({
      base_url: z._default(
        z.url({ protocol: /^https?$/, error: "expected a URL that begins with https://" }),
        "https://api.minstroem.app",
      ),
      ca: z.optional(text),
      cost_field: z.optional(text),
    }),
    { base_url: "https://api.minstroem.app" },
  ),
  consumer: z.optional(z.union([consumer, z.array(consumer).check(unique("name"))])),
  third_party: z.optional(
    z
      .strictObject({
        api_key: z.optional(text),
        api_secret: z.optional(text),
        hash_encoding: z._default(z.enum(["hex", "base64"]), "hex"),
        places: z._default(z.array(place), []),
      })
      .check(together("api_key", "api_secret")),
  ),
  homes: z.optional(
    z
      .array(
        z.strictObject({
          address_id: z.guid("expected a UUID: the id of an address of the account"),
          id: z.optional(slug),
          resolution: z._default(z.enum(["hour", "fifteenMinutes"]), "fifteenMinutes"),
          format: z.optional(z.enum(attributeFormats)),
        }),
      )
      .check(unique("id"), unique("address_id")),
  ),
  mqtt: z._default(
    z.strictObject({
      url: z.optional(
        z.url({
          protocol: /^(mqtts?|wss?)$/,
          error: "expected a URL that begins with mqtt://, mqtts://, ws:// or wss://",
        }),
      ),
      username: z.optional(text),
      password: z.optional(text),
      ca: z.optional(text),
      cert: z.optional(text),
      key: z.optional(text),
      base_topic: z._default(topic, "elbro"),
      discovery_prefix: z._default(topic, "homeassistant"),
    }),
    { base_topic: "elbro", discovery_prefix: "homeassistant" },
  ),
  broker: z._default(
    z.strictObject({
      host: z._default(text, "0.0.0.0"),
      port: z._default(port, 1883),
      ws_port: z.optional(port),
      users: z._default(
        z
          .array(z.strictObject({ name: text, password: text, commands: z._default(z.boolean(), false) }))
          .check(unique("name")),
        [],
      ),
    }),
    { host: "0.0.0.0", port: 1883, users: [] },
  ),
  api: z._default(
    z
      .strictObject({
        host: z._default(text, "0.0.0.0"),
        port: z._default(port, 8080),
        keys: z._default(z.array(apiKey).check(unique("name"), unique("key")), []),
        third_party_keys: z.optional(z.array(apiKeyAndSecret).check(unique("name"), unique("api_key"))),
        requests_per_minute: z._default(z.int().check(z.minimum(1)), 60),
        requests_per_day: z._default(z.int().check(z.minimum(1)), 2000),
        hosts: z.optional(z.array(hostName)),
        cors: z.optional(z.array(origin)),
        dashboard: z.optional(z.enum(["open", "key"])),
      })
      .check(ownNames),
    { host: "0.0.0.0", port: 8080, keys: [], requests_per_minute: 60, requests_per_day: 2000 },
  ),
  levels: z._default(levels, DEFAULT_LEVELS),
  plans: z._default(plansSchema, []),
  plugs: z._default(plugs, []),
  history: z._default(z.strictObject({ months: z._default(z.int().check(z.minimum(0), z.maximum(60)), 13) }), {
    months: 13,
  }),
  retention: z._default(z.strictObject({ years: z._default(z.int().check(z.minimum(1), z.maximum(100)), 10) }), {
    years: 10,
  }),
  data_dir: z._default(text, "./data"),
  log: z._default(z.strictObject({ level: z._default(z.enum(["debug", "info", "warn", "error"]), "info") }), {
    level: "info",
  }),
});

/** The sections, and what they say of each other. */
export const configSchema = sections.check(({ value, issues }) => {
  for (const { path, text } of referenceMistakes(value))
    issues.push({ code: "custom", continue: true, message: text, path, input: value });
});

export type Config = z.infer<typeof configSchema>;
