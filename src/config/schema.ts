/**
 * The configuration: one schema for types, defaults, validation, environment variables and documentation.
 * One row per key, with its description. Every object is strict: an unknown key is a mistake.
 */

import * as z from "zod/mini";
import { languages } from "../core/language/language.ts";
import { type Message, message } from "../core/language/text.ts";
import { attributeFormats } from "../core/prices/home-snapshot.ts";
import { MAX_SHARDS, SHARD_NAME } from "../core/sharding/shard.ts";
import { notifyEvents } from "../core/status/notify-event.ts";
import { RESERVED_IDS } from "../core/text/slug.ts";
import { apiSchema } from "./api-schema.ts";
import { key } from "./key-description.ts";
import { awaySchema, groupsSchema, plansSchema, span } from "./plan-schema.ts";
import { plugs } from "./plug-schema.ts";
import { fleetMistakes, referenceMistakes } from "./references.ts";
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
  passes,
  port,
  slug,
  text,
  textLike,
  token,
  topic,
  unique,
} from "./values.ts";

const latitude = z.number().check(z.minimum(-90), z.maximum(90));
const longitude = z.number().check(z.minimum(-180), z.maximum(180));
const place = z
  .strictObject({
    name: key(text, "Name of the place. Its MQTT topics are made from the first name and stay when it is renamed."),
    region: key(z.optional(text), "A price region. One of region, address, or latitude with longitude."),
    latitude: key(z.optional(latitude), "Latitude in degrees, with longitude."),
    longitude: key(z.optional(longitude), "Longitude in degrees, with latitude."),
    address: key(z.optional(text), "An address, written as the service's search returns it; `elbro suggest` finds it."),
  })
  .check(
    mistakes(({ region, latitude, longitude, address }) =>
      (latitude === undefined) === (longitude === undefined) &&
      [region, latitude, address].filter((given) => given !== undefined).length === 1
        ? []
        : [{ path: [], ...expecting("mistake.expected_place") }],
    ),
  );

const ratio = z.number().check(z.minimum(0), z.maximum(10));
const levels = z
  .strictObject({
    very_cheap: key(z._default(ratio, 0.6), "Very cheap: up to this ratio of the mean."),
    cheap: key(z._default(ratio, 0.9), "Cheap: up to this ratio; the signal `cheap` is ON up to here."),
    normal: key(z._default(ratio, 1.15), "Normal: up to this ratio."),
    expensive: key(z._default(ratio, 1.4), "Expensive: up to this ratio."),
    use_forecast: key(
      z._default(z.boolean(), false),
      "Whether `cheap` and the plugs that follow it may be ON based on an estimate while the confirmed price is missing.",
    ),
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
const consumer = z.strictObject({
  name: key(z._default(accountName, "consumer"), "Name of the account in problems and in Home Assistant."),
  api_key: key(z.optional(token), "API key from the app: profile, API access (needs an active Plus subscription).", {
    example: "put-your-key-here",
  }),
});

const day = textLike(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, "mistake.expected_date");
const exportTerms = z.strictObject({
  vat_factor: key(
    z._default(z.number().check(z.minimum(1), z.maximum(2)), 1.25),
    "Factor of the VAT in the prices of the service; 1.25 is 25 %. A household sells without VAT.",
  ),
  deductions: key(
    z._default(
      z.array(
        z.strictObject({
          name: key(text, "Name of the deduction."),
          per_kwh: key(
            z.number().check(z.minimum(-5), z.maximum(5)),
            "Amount per kWh without VAT, in the currency of the prices.",
          ),
          from: key(z.optional(day), "First day.", { form: "date" }),
          until: key(z.optional(day), "First day on which it no longer applies.", { form: "date" }),
        }),
      ),
      [],
    ),
    "What is deducted from each sold kWh; see docs/home-assistant.md.",
    { items: ["{ name: Grid feed-in, per_kwh: 0.0125 }"] },
  ),
});
const home = z.strictObject({
  address_id: key(z.guid("mistake.expected_uuid" satisfies Expected), "Id of an address.", {
    form: "UUID",
  }),
  id: key(
    z.optional(slug.check(passes((id) => !RESERVED_IDS.has(id), "mistake.expected_home_id"))),
    "Name of the home in topics and plans; by default made from the label of its address.",
  ),
  resolution: key(z._default(z.enum(["hour", "fifteenMinutes"]), "fifteenMinutes"), "Resolution of its prices."),
  format: key(
    z.optional(z.enum(attributeFormats)),
    "Adds an entity whose attributes are its prices in the format of another program (see docs/http-api.md).",
  ),
  away: key(z.optional(awaySchema), "A holiday in which its plans do not run, except those of kind avoid."),
  export: key(z.optional(exportTerms), "What the household gets for exported energy, for the export prices."),
});

/** A file of `accounts_dir`. Its name is the name of the account. */
export const accountSchema = z
  .strictObject({
    api_key: key(token, "API key of the account, from the app."),
    homes: key(
      z
        .array(
          z.extend(home, {
            id: key(
              slug.check(passes((id) => !SHARD_NAME.test(id), message("mistake.shard_name"))),
              "Name of the home in topics and plans, unique in the folder.",
            ),
          }),
        )
        .check(z.minLength(1, "mistake.expected_homes" satisfies Expected), unique("id"), unique("address_id")),
      "The account's homes.",
    ),
    plans: key(z._default(plansSchema, []), "Like `plans` of the configuration; each id is unique in the folder."),
    groups: key(z._default(groupsSchema, []), "Like `groups` of the configuration; each name is unique in the folder."),
    plugs: key(z._default(plugs, []), "Like `plugs` of the configuration; each id is unique in the folder."),
  })
  .check(mistakes(referenceMistakes));

const shard = z.strictObject({
  index: key(
    z.optional(z.int().check(z.minimum(0), z.maximum(MAX_SHARDS - 1))),
    "Index of this process among the shards, from 0; by default the number at the end of the hostname, as in a StatefulSet.",
    { example: "3" },
  ),
  count: key(z.int().check(z.minimum(1), z.maximum(MAX_SHARDS)), "Number of shards.", { example: "8" }),
});

const serviceUrl = z.url({ protocol: /^https?$/, error: "mistake.expected_service_url" satisfies Expected });
const service = z.strictObject({
  base_url: key(z._default(serviceUrl, "https://api.minstroem.app"), "Base URL of both interfaces of the service."),
  ca: key(z.optional(lines), "Your own certificate authority, in PEM.", {
    exampleFile: "./config/service-ca.pem",
  }),
  cost_field: key(z.optional(text), "Name of the amount in a cost row, if the service uses another one.", {
    example: "totalCost",
  }),
});

const thirdParty = z
  .strictObject({
    api_key: key(z.optional(token), "API key of the pair.", { example: "key-of-the-pair" }),
    api_secret: key(z.optional(token), "API secret of the pair.", { example: "secret-of-the-pair" }),
    hash_encoding: key(z._default(hashEncoding, "hex"), "Encoding of the hash in the token."),
    places: key(z._default(z.array(place), []), "Places whose prices elbro collects.", {
      items: [
        "{ name: Region, region: DK1 }",
        "{ name: Cabin, latitude: 56.1, longitude: 10.2 }",
        '{ name: Flat, address: "Vesterbrogade 1, 1620 København V" }',
      ],
    }),
  })
  .check(
    mistakes(({ api_key, api_secret }) => {
      if ((api_key === undefined) === (api_secret === undefined)) return [];
      const [given, lacking] = api_key === undefined ? ["api_secret", "api_key"] : ["api_key", "api_secret"];
      return [{ path: [lacking], ...missingWith(given) }];
    }),
  );

const brokerUrl = z.url({
  protocol: /^(mqtts?|wss?)$/,
  error: "mistake.expected_broker_url" satisfies Expected,
});
const mqtt = z.strictObject({
  url: key(
    z.optional(brokerUrl),
    "URL of your broker: mqtt://, mqtts://, ws:// or wss://. Without it elbro starts its own broker (broker).",
    { example: "mqtt://192.168.1.10:1883" },
  ),
  username: key(z.optional(mqttText), "User name at your broker.", { example: "elbro" }),
  password: key(z.optional(text), "Password of the user.", { example: "password-of-elbro" }),
  ca: key(z.optional(lines), "Certificate authority of your broker, in PEM.", {
    exampleFile: "./config/broker-ca.pem",
  }),
  cert: key(z.optional(lines), "Client certificate, in PEM.", { exampleFile: "./config/elbro.pem" }),
  key: key(z.optional(lines), "Private key of the client certificate, in PEM.", { exampleFile: "./config/elbro.key" }),
  base_topic: key(z._default(topic, "elbro"), "First part of all topics of elbro."),
  discovery_prefix: key(z._default(topic, "homeassistant"), "First part of Home Assistant's discovery topics."),
  time_entities: key(
    z._default(z.boolean(), false),
    "Whether times of day of plans are `time` entities, not texts. Home Assistant before 2026.5 would refuse the plans.",
  ),
});

const homeAssistantUrl = z.url({
  protocol: /^(https?|wss?)$/,
  error: "mistake.expected_home_assistant_url" satisfies Expected,
});
const homeAssistant = z.strictObject({
  url: key(homeAssistantUrl, "URL of Home Assistant, as in the browser, or of its WebSocket (ws://…).", {
    example: "http://homeassistant.local:8123",
  }),
  token: key(token, "Long-lived access token of an administrator: your profile in Home Assistant, Security.", {
    example: "token-of-an-administrator",
  }),
});

const topicUrl = z
  .url({ protocol: /^https?$/, error: "mistake.expected_topic_url" satisfies Expected })
  .check(passes((url) => /^\/[-_A-Za-z0-9]{1,64}$/.test(new URL(url).pathname), "mistake.expected_topic_word"));
const webhookUrl = z.url({ protocol: /^https?$/, error: "mistake.expected_webhook_url" satisfies Expected });
const headers = textLike(/^[!#$%&'*+.^_`|~\w-]+:[ -~]+(\n[!#$%&'*+.^_`|~\w-]+:[ -~]+)*\n?$/, "mistake.expected_header");
const notify = z
  .strictObject({
    topic_url: key(
      z.optional(topicUrl),
      "URL of the topic at an ntfy server. Anyone who knows the name can read it, so choose one that is hard to guess.",
      { example: "https://ntfy.sh/my-house-4821" },
    ),
    webhook_url: key(
      z.optional(webhookUrl),
      "URL that gets a request for each notification; has precedence over topic_url. See docs/notifications.md.",
      { example: "https://gotify.example/message" },
    ),
    webhook_method: key(z.optional(z.enum(["POST", "PUT"])), "Method of the request; POST by default.", {
      example: "PUT",
    }),
    webhook_headers: key(z.optional(headers), "Headers of the request, one on each line as in HTTP.", {
      example: '"X-Gotify-Key: token-of-the-application"',
    }),
    webhook_body: key(
      z.optional(lines),
      "Body of the request, with {title}, {message}, {priority}, {tags} and {click}; by default JSON with all of them.",
      { example: '\'{"title": "{title}", "message": "{message}"}\'' },
    ),
    token: key(z.optional(token), "Access token of the server, if the topic needs one.", {
      example: "token-of-the-server",
    }),
    username: key(z.optional(text), "User name at the server, with password. A token has precedence.", {
      example: "elbro",
    }),
    password: key(z.optional(text), "Password of the user.", { example: "password-of-the-user" }),
    events: key(
      z._default(z.array(z.enum(notifyEvents)).check(z.minLength(1)), [...notifyEvents]),
      "Notifications to send: tomorrow's prices, negative prices, a plan that cannot run, a plug that does not answer, any other problem.",
    ),
    quiet_hours: key(
      z.optional(span),
      "Hours without notifications, in local time of the homes. Notifications that are still current are sent at their end.",
      { example: '"22:00-07:00"' },
    ),
    language: key(z.optional(z.enum(languages)), "Language of the notifications; by default that of `language`.", {
      example: "da",
    }),
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
        : [
            {
              path: [username === undefined ? "username" : "password"],
              ...expecting("mistake.expected_login"),
            },
          ],
    ),
  );

const archiveUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: "mistake.expected_archive_url" satisfies Expected,
});
const archive = z.strictObject({
  url: key(
    archiveUrl,
    "URL of the database, with its user; `?sslmode=require` or `verify-full` for TLS. See docs/archive.md.",
    { example: "postgres://elbro@192.168.1.10:5432/elbro" },
  ),
  password: key(z.optional(text), "Password of the user, if it is not in the URL.", {
    example: "password-of-elbro-in-postgresql",
  }),
  ca: key(z.optional(lines), "Certificate authority of the database, in PEM. It makes TLS required.", {
    exampleFile: "./config/postgresql-ca.pem",
  }),
});

const brokerUser = z.strictObject({
  name: key(mqttText, "Name of the user."),
  password: key(text, "Password, or its hash from `elbro hash-password`."),
  commands: key(z._default(z.boolean(), false), "Whether the user may send commands and publish to other topics."),
});
const broker = z.strictObject({
  host: key(
    z._default(text, "0.0.0.0"),
    "Address to listen on. Without users the broker listens on this machine only and rejects every login.",
  ),
  port: key(z._default(port, 1883), "Port for MQTT."),
  ws_port: key(
    z.optional(port),
    "Port for MQTT over WebSocket. Web pages of this host may use it, and those of api.cors.",
    { example: "9001" },
  ),
  tls: tlsSection(
    "Certificate for MQTTS without a proxy. Both ports then use TLS only. A changed file applies within a minute.",
  ),
  users: key(z._default(z.array(brokerUser).check(unique("name")), []), "Users that may log in.", {
    items: ["{ name: homeassistant, password: a-long-password, commands: true }"],
  }),
});

const months = z.int().check(z.minimum(0), z.maximum(60));
const history = z.strictObject({
  months: key(z._default(months, 13), "Number of past months to fetch after the first start."),
});
const years = z.int().check(z.minimum(1), z.maximum(100));
const retention = z.strictObject({ years: key(z._default(years, 10), "Number of years to keep.") });
const logLevel = z.enum(["debug", "info", "warn", "error"]);
const log = z.strictObject({
  level: key(z._default(logLevel, "info"), "Minimum log level."),
  format: key(
    z.optional(z.enum(["json", "text"])),
    "json writes one JSON object per line, text writes readable lines. Default: text on a terminal, in the container image and in the app, otherwise JSON.",
    { example: "text" },
  ),
});

/** First label of a host name, of which `.local` is the rest. */
const hostLabel = textLike(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "mistake.expected_host_label");

/** A missing section has the defaults of its keys. */
const sections = z.strictObject({
  service: key(z.prefault(service, {}), "The electricity data service."),
  consumer: key(
    z.optional(z.union([consumer, z.array(consumer).check(unique("name"))])),
    "Your account, or a list of accounts, each with a name and a quota of its own.",
  ),
  third_party: key(
    z.optional(thirdParty),
    "Access to the third-party interface: spot prices and charges of any place.",
  ),
  accounts_dir: key(
    z.optional(text),
    "Folder with one file per account: its key, homes, plans and plugs. elbro reads a file again when it changes; see docs/fleet.md.",
    { example: "./config/accounts" },
  ),
  shard: key(
    z.optional(shard),
    "Shares the accounts of `accounts_dir` between several processes; `ELBRO_SHARD=3/8` is index 3 of 8.",
  ),
  homes: key(
    z.optional(z.array(home).check(unique("id"), unique("address_id"))),
    "Addresses of the accounts that are homes; by default all. `elbro addresses` lists them.",
    { items: ["{ address_id: 11111111-2222-4333-8444-555555555555, id: home, resolution: fifteenMinutes }"] },
  ),
  mqtt: key(z.prefault(mqtt, {}), "The MQTT broker that elbro publishes to."),
  language: key(
    z._default(z.enum(languages), "en"),
    "Language of entity names, reasons and problems: English, Danish, Swedish or Norwegian. Ids, codes and the log do not change.",
  ),
  broker: key(z.prefault(broker, {}), "The built-in broker, used if mqtt.url is not set."),
  home_assistant: key(
    z.optional(homeAssistant),
    "Imports consumption, cost, export and revenue into Home Assistant's statistics, at the correct hours. Not needed in the Home Assistant app.",
  ),
  notify: key(
    z.optional(notify),
    "Sends notifications to phones through an ntfy server, your own or https://ntfy.sh, or through a webhook. See docs/notifications.md.",
  ),
  update_feed: key(
    z.optional(z.url({ protocol: /^https?$/, error: "mistake.expected_feed" satisfies Expected })),
    "URL of the newest release, which elbro requests once a day to show that there is a newer version. The request says nothing about you. Without it nothing is requested.",
    { example: "https://api.github.com/repos/OWNER/elbro/releases/latest" },
  ),
  archive: key(
    z.optional(archive),
    "Copies all stored data to PostgreSQL, for SQL over many homes and for Grafana. Nothing else depends on it.",
  ),
  api: key(z.prefault(apiSchema, {}), "The API for devices on the LAN."),
  mdns: key(
    z.optional(hostLabel),
    "Announces the dashboard on the local network under this name (mDNS): `elbro` is http://elbro.local:8080/. Without it nothing is announced. A container needs the host's network.",
    { example: "elbro" },
  ),
  levels: key(
    z.prefault(levels, {}),
    "Upper limits of the price levels, as ratios of the mean of the last three days. Above them the level is very_expensive.",
  ),
  plans: key(z._default(plansSchema, []), "Appliances whose hours elbro chooses by price.", {
    items: [
      '{ name: Dishwasher, home: home, kind: window, hours: 2, kwh: 1.1, from: "19:00", ready_by: "06:30" }',
      '{ name: Car, home: home, kind: slots, hours: 4, kwh: 28, min_run: 30m, from: "17:00", ready_by: "07:00" }',
      "{ name: Water heater, home: home, kind: below, percent: 35, min_run: 30m }",
      "{ name: Floor heating, home: home, kind: avoid, hours: 3, max_gap: 2h }",
    ],
  }),
  groups: key(z._default(groupsSchema, []), "Groups of plans that share a power limit, such as a fuse.", {
    items: ["{ name: house, limit_kw: 11 }"],
  }),
  plugs: key(z._default(plugs, []), "Smart plugs that follow a plan, a signal of a home, or your own topic.", {
    items: [
      "{ name: Heater plug, family: shelly_gen2, topic: shellyplus1-a1b2c3, plan: water_heater }",
      "{ name: Car plug, family: tasmota, topic: tasmota_4F21, home: home, signal: cheap }",
    ],
  }),
  history: key(z.prefault(history, {}), "How much history to fetch."),
  retention: key(z.prefault(retention, {}), "How long to keep data."),
  data_dir: key(z._default(text, "./data"), "Folder of the database and of its nightly checked copy."),
  log: key(z.prefault(log, {}), "The log, which elbro writes to the standard output."),
});

/** Sections whose entries refer to each other. */
const REFERRING: ReadonlySet<string> = new Set(["plans", "plugs", "groups", "homes", "third_party", "consumer"]);

/** The sections, and the checks between them. */
export const configSchema = sections.check(
  // Mistakes elsewhere do not hide those between plans, plugs and homes.
  mistakes(referenceMistakes, ([section]) => section !== undefined && !REFERRING.has(String(section))),
  mistakes(fleetMistakes),
);

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
