/**
 * The configuration: one schema for types, defaults, validation, environment variables and documentation.
 * One row per key, with its description. Every object is strict: an unknown key is a mistake.
 */

import * as z from "zod/mini";
import { type Message, message } from "../../core/language/text.ts";
import { attributeFormats } from "../../core/prices/home-snapshot.ts";
import { MAX_SHARDS, SHARD_NAME } from "../../core/sharding/shard.ts";
import { notifyEvents, usualEvents } from "../../core/status/notify-event.ts";
import { RESERVED_IDS } from "../../core/text/slug.ts";
import { languages } from "../../i18n/languages.ts";
import { secret, serversBelow, withServers } from "../overlay/secret-servers.ts";
import { groupsSchema, plansSchema } from "../plan-list.ts";
import { fleetMistakes, referenceMistakes } from "../references.ts";
import { apiSchema } from "./api-schema.ts";
import { awaySchema, span } from "./plan-schema.ts";
import { plugs } from "./plug-schema.ts";
import { tlsSection } from "./tls-schema.ts";
import {
  type Expected,
  expecting,
  hashEncoding,
  lines,
  missing,
  missingWith,
  mistakes,
  mqttText,
  oneLine,
  passes,
  port,
  slug,
  textLike,
  token,
  topic,
  unique,
  urlWith,
} from "./values.ts";

const latitude = z.number().check(z.minimum(-90), z.maximum(90));
const longitude = z.number().check(z.minimum(-180), z.maximum(180));
const place = z
  .strictObject({
    name: oneLine,
    region: z.optional(oneLine),
    latitude: z.optional(latitude),
    longitude: z.optional(longitude),
    address: z.optional(oneLine),
  })
  .check(
    mistakes(({ region, latitude, longitude, address }) =>
      (latitude === undefined) === (longitude === undefined) &&
      [region, latitude, address].filter((each) => each !== undefined).length === 1
        ? []
        : [{ path: [], ...expecting("mistake.expected_place") }],
    ),
  );

const ratio = z.number().check(z.minimum(0), z.maximum(10));
const levels = z
  .strictObject({
    very_cheap: z._default(ratio, 0.6),
    cheap: z._default(ratio, 0.9),
    normal: z._default(ratio, 1.15),
    expensive: z._default(ratio, 1.4),
  })
  .check(
    mistakes(({ very_cheap, cheap, normal, expensive }) =>
      very_cheap < cheap && cheap < normal && normal < expensive
        ? []
        : [{ path: [], ...expecting("mistake.expected_levels") }],
    ),
  );

/** The third-party account is stored under this name. */
const accountName = slug.check(passes((name) => name !== "third_party", "mistake.expected_other_name"));
/** Data directory of a configuration that names none. */
export const DEFAULT_DATA_DIR = "./data";

const serviceKey = secret("service.base_url", token);
const consumer = z.strictObject({ name: z._default(accountName, "consumer"), api_key: z.optional(serviceKey) });

const day = textLike(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, "mistake.expected_date");
/** What is deducted from each sold kWh without VAT, from the first day to the day before the last. */
const deduction = z.strictObject({
  name: oneLine,
  per_kwh: z.number().check(z.minimum(-5), z.maximum(5)),
  from: z.optional(day),
  until: z.optional(day),
});
const exportTerms = z.strictObject({
  /** Factor of the VAT in the prices of the service. A household sells without VAT. */
  vat_factor: z._default(z.number().check(z.minimum(1), z.maximum(2)), 1.25),
  deductions: z._default(z.array(deduction), []),
});
const home = z.strictObject({
  address_id: z.guid("mistake.expected_uuid" satisfies Expected),
  id: z.optional(slug.check(passes((id) => !RESERVED_IDS.has(id), "mistake.expected_home_id"))),
  resolution: z._default(z.enum(["hour", "fifteenMinutes"]), "fifteenMinutes"),
  format: z.optional(z.enum(attributeFormats)),
  away: z.optional(awaySchema),
  export: z.optional(exportTerms),
});

/** A file of `accounts_dir`. Its name is the name of the account. */
export const accountSchema = z
  .strictObject({
    api_key: serviceKey,
    homes: z
      .array(z.extend(home, { id: slug.check(passes((id) => !SHARD_NAME.test(id), message("mistake.shard_name"))) }))
      .check(z.minLength(1, "mistake.expected_homes" satisfies Expected), unique("id"), unique("address_id")),
    plans: z._default(plansSchema, []),
    groups: z._default(groupsSchema, []),
    plugs: z._default(plugs, []),
  })
  .check(mistakes(referenceMistakes));

const shard = z.strictObject({
  index: z.optional(z.int().check(z.minimum(0), z.maximum(MAX_SHARDS - 1))),
  count: z.int().check(z.minimum(1), z.maximum(MAX_SHARDS)),
});

const service = z.strictObject({
  base_url: z._default(urlWith(/^https?$/, "mistake.expected_service_url"), "https://api.minstroem.app"),
  ca: z.optional(lines),
  cost_field: z.optional(oneLine),
});

const thirdParty = z
  .strictObject({
    api_key: z.optional(serviceKey),
    api_secret: z.optional(serviceKey),
    hash_encoding: z._default(hashEncoding, "hex"),
    places: z._default(z.array(place), []),
  })
  .check(
    mistakes(({ api_key, api_secret }) => {
      if ((api_key === undefined) === (api_secret === undefined)) return [];
      const [present, lacking] = api_key === undefined ? ["api_secret", "api_key"] : ["api_key", "api_secret"];
      return [{ path: [lacking], ...missingWith(present) }];
    }),
  );

const mqtt = z.strictObject({
  url: z.optional(urlWith(/^(mqtts?|wss?)$/, "mistake.expected_broker_url")),
  username: z.optional(mqttText),
  password: z.optional(secret("url", oneLine)),
  ca: z.optional(lines),
  cert: z.optional(lines),
  key: z.optional(secret("nobody", lines)),
  base_topic: z._default(topic, "elbro"),
  discovery_prefix: z._default(topic, "homeassistant"),
  time_entities: z.optional(z.boolean()),
});

const homeAssistant = z.strictObject({
  url: urlWith(/^(https?|wss?)$/, "mistake.expected_home_assistant_url"),
  token: secret("url", token),
});

const topicUrl = urlWith(/^https?$/, "mistake.expected_topic_url").check(
  passes((url) => /^\/[-_A-Za-z0-9]{1,64}$/.test(new URL(url).pathname), "mistake.expected_topic_word"),
);
const headers = textLike(/^[!#$%&'*+.^_`|~\w-]+:[ -~]+(\n[!#$%&'*+.^_`|~\w-]+:[ -~]+)*\n?$/, "mistake.expected_header");
const notify = z
  .strictObject({
    topic_url: z.optional(secret("itself", topicUrl)),
    webhook_url: z.optional(secret("itself", urlWith(/^https?$/, "mistake.expected_webhook_url"))),
    webhook_method: z.optional(z.enum(["POST", "PUT"])),
    webhook_headers: z.optional(secret("webhook_url", headers)),
    webhook_body: z.optional(secret("webhook_url", lines)),
    token: z.optional(secret("topic_url", token)),
    username: z.optional(oneLine),
    password: z.optional(secret("topic_url", oneLine)),
    events: z._default(z.array(z.enum(notifyEvents)).check(z.minLength(1)), [...usualEvents]),
    quiet_hours: z.optional(span),
    language: z.optional(z.enum(languages)),
  })
  .check(
    mistakes(({ topic_url, webhook_url }) =>
      topic_url === undefined && webhook_url === undefined
        ? [{ path: ["topic_url"], ...missing("mistake.expected_topic_url") }]
        : [],
    ),
    mistakes(({ username, password }) =>
      (username === undefined) === (password === undefined)
        ? []
        : [{ path: [username === undefined ? "username" : "password"], ...expecting("mistake.expected_login") }],
    ),
  );

const archive = z.strictObject({
  url: urlWith(/^postgres(ql)?$/, "mistake.expected_archive_url"),
  password: z.optional(secret("url", oneLine)),
  ca: z.optional(lines),
});

const brokerUser = z.strictObject({
  name: mqttText,
  password: secret("nobody", oneLine),
  commands: z._default(z.boolean(), false),
});
const broker = z.strictObject({
  host: z._default(oneLine, "0.0.0.0"),
  port: z._default(port, 1883),
  tls: tlsSection,
  users: z._default(z.array(brokerUser).check(unique("name")), []),
});

const history = z.strictObject({ months: z._default(z.int().check(z.minimum(0), z.maximum(60)), 13) });
const retention = z.strictObject({ years: z._default(z.int().check(z.minimum(1), z.maximum(100)), 10) });
const log = z.strictObject({
  level: z._default(z.enum(["debug", "info", "warn", "error"]), "info"),
  format: z.optional(z.enum(["json", "text"])),
});

/** First label of a host name, of which `.local` is the rest. */
const hostLabel = textLike(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "mistake.expected_host_label");

/** A missing section has the defaults of its keys. */
const sections = z.strictObject({
  service: z.prefault(service, {}),
  consumer: z.optional(z.union([consumer, z.array(consumer).check(unique("name"))])),
  third_party: z.optional(thirdParty),
  /** Its files hold keys of the service. */
  accounts_dir: z.optional(secret("service.base_url", oneLine)),
  shard: z.optional(shard),
  homes: z.optional(z.array(home).check(unique("id"), unique("address_id"))),
  mqtt: z.prefault(mqtt, {}),
  language: z._default(z.enum(languages), "en"),
  broker: z.prefault(broker, {}),
  home_assistant: z.optional(homeAssistant),
  notify: z.optional(notify),
  update_feed: z.optional(urlWith(/^https?$/, "mistake.expected_feed")),
  archive: z.optional(archive),
  api: z.prefault(apiSchema, {}),
  mdns: z.optional(hostLabel),
  levels: z.prefault(levels, {}),
  plans: z._default(plansSchema, []),
  groups: z._default(groupsSchema, []),
  plugs: z._default(plugs, []),
  history: z.prefault(history, {}),
  retention: z.prefault(retention, {}),
  data_dir: z._default(oneLine, DEFAULT_DATA_DIR),
  log: z.prefault(log, {}),
});

/** Sections whose entries refer to each other. */
const REFERRING: ReadonlySet<string> = new Set(["plans", "plugs", "groups", "homes", "third_party", "consumer"]);

/** The sections, and the checks between them. */
export const configSchema = withServers(sections).check(
  // Mistakes elsewhere do not hide those between plans, plugs and homes.
  mistakes(referenceMistakes, ([section]) => section !== undefined && !REFERRING.has(String(section))),
  mistakes(fleetMistakes),
);

/** Keys of the servers to which secrets are sent. */
export const secretServers: readonly string[] = serversBelow(configSchema);

export type AccountEntry = z.infer<typeof accountSchema>;

/** Further contents of `accounts_dir`. The accounts of this process are in the sections. */
export interface AccountFilesFound {
  /** Mistakes of the files that cannot be used, by name of the file. */
  readonly refused: Readonly<Record<string, Message>>;
  /** Accounts of other shards. */
  readonly elsewhere: readonly AccountEntry[];
}

/** `accounts` is set if `accounts_dir` is set and was read. */
export type Config = z.infer<typeof configSchema> & { readonly accounts?: AccountFilesFound };
