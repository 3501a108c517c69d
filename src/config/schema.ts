/**
 * The configuration: one schema for types, defaults, validation, environment variables and documentation.
 * One row per key, with its description. Every object is strict: an unknown key is a mistake.
 */

import * as z from "zod/mini";
import { languages } from "../core/language/language.ts";
import { attributeFormats } from "../core/prices/home-snapshot.ts";
import { MAX_SHARDS, SHARD_NAME } from "../core/sharding/shard.ts";
import { notifyEvents } from "../core/status/notify-event.ts";
import { apiSchema } from "./api-schema.ts";
import { key } from "./key-description.ts";
import { groupsSchema, plansSchema, span } from "./plan-schema.ts";
import { plugs } from "./plug-schema.ts";
import { fleetMistakes, referenceMistakes } from "./references.ts";
import { hashEncoding, mistakes, port, slug, text, textLike, topic, unique } from "./values.ts";

const latitude = z.number().check(z.minimum(-90), z.maximum(90));
const longitude = z.number().check(z.minimum(-180), z.maximum(180));
const place = z
  .strictObject({
    name: key(text, "What the place is called; its topics are made of it, and stay when it is renamed."),
    region: key(z.optional(text), "A price region. One of region, address, or latitude with longitude."),
    latitude: key(z.optional(latitude), "Degrees north, with longitude."),
    longitude: key(z.optional(longitude), "Degrees east, with latitude."),
    address: key(z.optional(text), "An address as the service's search knows it; `elbro suggest` helps."),
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
const levels = z
  .strictObject({
    very_cheap: key(z._default(ratio, 0.6), "Very cheap is at most this part of the mean."),
    cheap: key(z._default(ratio, 0.9), "Cheap is at most this part; the signal `cheap` is ON up to here."),
    normal: key(z._default(ratio, 1.15), "Normal is at most this part."),
    expensive: key(z._default(ratio, 1.4), "Expensive is at most this part."),
    use_forecast: key(
      z._default(z.boolean(), false),
      "Whether `cheap` and the plugs that follow it may be ON by an estimate, while the confirmed price has not come.",
    ),
  })
  .check(
    z.refine(
      ({ very_cheap, cheap, normal, expensive }) => very_cheap < cheap && cheap < normal && normal < expensive,
      "expected very_cheap < cheap < normal < expensive: ratios of the mean of the last three days",
    ),
  );

/** The third-party account is stored under this name. */
const accountName = slug.check(z.refine((name) => name !== "third_party", "expected another name than third_party"));
const consumer = z.strictObject({
  name: key(z._default(accountName, "consumer"), "What the account is called in problems and in Home Assistant."),
  api_key: key(z.optional(text), "The key from the app: profile, API access (needs an active Plus subscription).", {
    example: "put-your-key-here",
  }),
});

const home = z.strictObject({
  address_id: key(z.guid("expected a UUID: the id of an address of the account"), "The id of an address.", {
    form: "UUID",
  }),
  id: key(z.optional(slug), "What the home is called in topics and plans; else made of the address's label."),
  resolution: key(z._default(z.enum(["hour", "fifteenMinutes"]), "fifteenMinutes"), "How fine its prices are."),
  format: key(
    z.optional(z.enum(attributeFormats)),
    "An entity more, whose attributes are its prices as another program reads them (see docs/http-api.md).",
  ),
});

/** A file of `accounts_dir`. Its name is the name of the account. */
export const accountSchema = z
  .strictObject({
    api_key: key(text, "The key of the account, from the app."),
    homes: key(
      z
        .array(
          z.extend(home, {
            id: key(
              slug.check(z.refine((id) => !SHARD_NAME.test(id), "is the name of a shard; expected another")),
              "What the home is called in topics and plans: another than every other home of the folder.",
            ),
          }),
        )
        .check(z.minLength(1, "expected the account's homes"), unique("id"), unique("address_id")),
      "The account's homes.",
    ),
    plans: key(z._default(plansSchema, []), "As `plans` of the configuration; each id is used once in the folder."),
    groups: key(
      z._default(groupsSchema, []),
      "As `groups` of the configuration; each name is used once in the folder.",
    ),
    plugs: key(z._default(plugs, []), "As `plugs` of the configuration; each id is used once in the folder."),
  })
  .check(mistakes(referenceMistakes));

const shard = z.strictObject({
  index: key(
    z.optional(z.int().check(z.minimum(0), z.maximum(MAX_SHARDS - 1))),
    "Which of the shards this process is, from 0; by default the number at the end of the hostname, as in a StatefulSet.",
    { example: "3" },
  ),
  count: key(z.int().check(z.minimum(1), z.maximum(MAX_SHARDS)), "How many shards there are.", { example: "8" }),
});

const serviceUrl = z.url({ protocol: /^https?$/, error: "expected a URL that begins with https://" });
const service = z.strictObject({
  base_url: key(z._default(serviceUrl, "https://api.minstroem.app"), "Where both interfaces of the service live."),
  ca: key(z.optional(text), "A certificate authority of your own, in PEM.", {
    exampleFile: "./config/service-ca.pem",
  }),
  cost_field: key(z.optional(text), "The name of the amount in a row of costs, should the service call it otherwise.", {
    example: "totalCost",
  }),
});

const thirdParty = z
  .strictObject({
    api_key: key(z.optional(text), "The key of the pair.", { example: "key-of-the-pair" }),
    api_secret: key(z.optional(text), "The secret of the pair.", { example: "secret-of-the-pair" }),
    hash_encoding: key(z._default(hashEncoding, "hex"), "How the hash in the token is written."),
    places: key(z._default(z.array(place), []), "Places whose prices are wanted.", {
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
      const [given, missing] = api_key === undefined ? ["api_secret", "api_key"] : ["api_key", "api_secret"];
      return [{ path: [missing], text: `expected with ${given}, found nothing` }];
    }),
  );

const brokerUrl = z.url({
  protocol: /^(mqtts?|wss?)$/,
  error: "expected a URL that begins with mqtt://, mqtts://, ws:// or wss://",
});
const mqtt = z.strictObject({
  url: key(
    z.optional(brokerUrl),
    "Address of your broker: mqtt://, mqtts://, ws:// or wss://. Without it elbro starts one itself (broker).",
    { example: "mqtt://192.168.1.10:1883" },
  ),
  username: key(z.optional(text), "The user at your broker.", { example: "elbro" }),
  password: key(z.optional(text), "The user's password.", { example: "password-of-elbro" }),
  ca: key(z.optional(text), "The certificate authority of your broker, in PEM.", {
    exampleFile: "./config/broker-ca.pem",
  }),
  cert: key(z.optional(text), "A certificate to log in with, in PEM.", { exampleFile: "./config/elbro.pem" }),
  key: key(z.optional(text), "The key of that certificate, in PEM.", { exampleFile: "./config/elbro.key" }),
  base_topic: key(z._default(topic, "elbro"), "What all topics of elbro begin with."),
  discovery_prefix: key(z._default(topic, "homeassistant"), "What Home Assistant's discovery topics begin with."),
});

const homeAssistantUrl = z.url({
  protocol: /^(https?|wss?)$/,
  error: "expected a URL such as http://homeassistant.local:8123",
});
const homeAssistant = z.strictObject({
  url: key(homeAssistantUrl, "Address of Home Assistant, as in the browser; or ws://… of its WebSocket.", {
    example: "http://homeassistant.local:8123",
  }),
  token: key(text, "A long-lived access token of an administrator: your profile in Home Assistant, Security.", {
    example: "token-of-an-administrator",
  }),
});

const topicUrl = z
  .url({ protocol: /^https?$/, error: "expected the URL of a topic, such as https://ntfy.sh/my-house-4821" })
  .check(
    z.refine(
      (url) => /^\/[-_A-Za-z0-9]{1,64}$/.test(new URL(url).pathname),
      "expected the URL of a topic: one word of letters, digits, _ and - behind the name of the server",
    ),
  );
const notify = z
  .strictObject({
    topic_url: key(
      topicUrl,
      "The topic at an ntfy server. Who knows its name can read along, so take one that nobody guesses.",
      { example: "https://ntfy.sh/my-house-4821" },
    ),
    token: key(z.optional(text), "An access token of the server, where the topic needs one.", {
      example: "token-of-the-server",
    }),
    username: key(z.optional(text), "A user of the server, with password; a token goes before it.", {
      example: "elbro",
    }),
    password: key(z.optional(text), "The user's password.", { example: "password-of-the-user" }),
    events: key(
      z._default(z.array(z.enum(notifyEvents)).check(z.minLength(1)), [...notifyEvents]),
      "What is sent: tomorrow's prices, negative prices, a plan that cannot run, a plug that does not answer, any other problem.",
    ),
    quiet_hours: key(
      z.optional(span),
      "When nothing is sent, on the clock of the homes; what still holds at their end is sent then.",
      { example: '"22:00-07:00"' },
    ),
    language: key(z.optional(z.enum(languages)), "Language of what is sent; without it that of `language`.", {
      example: "da",
    }),
  })
  .check(
    mistakes(({ username, password }) =>
      (username === undefined) === (password === undefined)
        ? []
        : [
            {
              path: [username === undefined ? "username" : "password"],
              text: "expected username and password together",
            },
          ],
    ),
  );

const archiveUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: "expected a URL such as postgres://elbro@database:5432/elbro",
});
const archive = z.strictObject({
  url: key(
    archiveUrl,
    "Address of the database, with its user; `?sslmode=require` or `verify-full` for TLS. See docs/archive.md.",
    { example: "postgres://elbro@192.168.1.10:5432/elbro" },
  ),
  password: key(z.optional(text), "The user's password, where it is not in the URL.", {
    example: "password-of-elbro-in-postgresql",
  }),
  ca: key(z.optional(text), "The certificate authority of the database, in PEM; TLS is then required.", {
    exampleFile: "./config/postgresql-ca.pem",
  }),
});

const brokerUser = z.strictObject({
  name: key(text, "The user's name."),
  password: key(text, "The password, or what `elbro hash-password` makes of it."),
  commands: key(z._default(z.boolean(), false), "Whether the user may send commands and publish to other topics."),
});
const broker = z.strictObject({
  host: key(
    z._default(text, "0.0.0.0"),
    "Address to listen on. Without users it listens on this machine only and lets nobody in.",
  ),
  port: key(z._default(port, 1883), "Port for MQTT."),
  ws_port: key(z.optional(port), "Port for MQTT over WebSocket.", { example: "9001" }),
  users: key(z._default(z.array(brokerUser).check(unique("name")), []), "Who may log in.", {
    items: ["{ name: homeassistant, password: a-long-password, commands: true }"],
  }),
});

const months = z.int().check(z.minimum(0), z.maximum(60));
const history = z.strictObject({
  months: key(z._default(months, 13), "How many months of the past are fetched after the first start."),
});
const years = z.int().check(z.minimum(1), z.maximum(100));
const retention = z.strictObject({ years: key(z._default(years, 10), "How many years are kept.") });
const logLevel = z.enum(["debug", "info", "warn", "error"]);
const log = z.strictObject({
  level: key(z._default(logLevel, "info"), "The least important lines that are written."),
  format: key(
    z.optional(z.enum(["json", "text"])),
    "A JSON object a line, for programs, or text for people; without it text on a terminal and JSON elsewhere.",
    { example: "text" },
  ),
});

/** First label of a host name, of which `.local` is the rest. */
const hostLabel = textLike(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "expected a name without .local, such as elbro");

/** A missing section has the defaults of its keys. */
const sections = z.strictObject({
  service: key(z.prefault(service, {}), "The service that is asked."),
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
    "A folder with a file for each account: its key, homes, plans and plugs. Read again when a file changes; see docs/fleet.md.",
    { example: "./config/accounts" },
  ),
  shard: key(
    z.optional(shard),
    "Shares the accounts of `accounts_dir` between several processes; `ELBRO_SHARD=3/8` is index 3 of 8.",
  ),
  homes: key(
    z.optional(z.array(home).check(unique("id"), unique("address_id"))),
    "Which addresses of the accounts are homes; without it, all of them. `elbro addresses` lists them.",
    { items: ["{ address_id: 11111111-2222-4333-8444-555555555555, id: home, resolution: fifteenMinutes }"] },
  ),
  mqtt: key(z.prefault(mqtt, {}), "The broker that everything is published to."),
  language: key(
    z._default(z.enum(languages), "en"),
    "Language of the names of entities and of reasons and problems: English, Danish, Swedish or Norwegian. Ids, codes and the log stay as they are.",
  ),
  broker: key(z.prefault(broker, {}), "The broker inside elbro, used when mqtt.url is not set."),
  home_assistant: key(
    z.optional(homeAssistant),
    "Imports consumption, cost, export and revenue into Home Assistant's statistics, on the right hours. The app needs nothing here.",
  ),
  notify: key(
    z.optional(notify),
    "Sends notifications to phones by an ntfy server, of the house or https://ntfy.sh. See docs/notifications.md.",
  ),
  archive: key(
    z.optional(archive),
    "Copies everything that is stored to PostgreSQL, for SQL over many homes and Grafana. Nothing else depends on it.",
  ),
  api: key(z.prefault(apiSchema, {}), "The API for devices on the LAN."),
  mdns: key(
    z.optional(hostLabel),
    "Announces the dashboard on the local network under this name (mDNS): `elbro` is http://elbro.local:8080/. Without it nothing is announced. A container needs the host's network.",
    { example: "elbro" },
  ),
  levels: key(
    z.prefault(levels, {}),
    "Where the price levels end, as parts of the mean of the last three days; dearer is very_expensive.",
  ),
  plans: key(z._default(plansSchema, []), "Appliances whose hours are chosen by price.", {
    items: [
      '{ name: Dishwasher, home: home, kind: window, hours: 2, kwh: 1.1, from: "19:00", ready_by: "06:30" }',
      '{ name: Car, home: home, kind: slots, hours: 4, kwh: 28, min_run: 30m, from: "17:00", ready_by: "07:00" }',
      "{ name: Water heater, home: home, kind: below, percent: 35, min_run: 30m }",
      "{ name: Floor heating, home: home, kind: avoid, hours: 3, max_gap: 2h }",
    ],
  }),
  groups: key(z._default(groupsSchema, []), "Plans that share a limit of power, such as a fuse.", {
    items: ["{ name: house, limit_kw: 11 }"],
  }),
  plugs: key(z._default(plugs, []), "Smart plugs that follow a plan, a home's signal or a topic of yours.", {
    items: [
      "{ name: Heater plug, family: shelly_gen2, topic: shellyplus1-a1b2c3, plan: water_heater }",
      "{ name: Car plug, family: tasmota, topic: tasmota_4F21, home: home, signal: cheap }",
    ],
  }),
  history: key(z.prefault(history, {}), "What is fetched of the past."),
  retention: key(z.prefault(retention, {}), "What is kept."),
  data_dir: key(
    z._default(text, "./data"),
    "The folder of the database and of the checked copy of it that is made every night.",
  ),
  log: key(z.prefault(log, {}), "What is written to the standard output."),
});

/** The sections, and the checks between them. */
export const configSchema = sections.check(mistakes(referenceMistakes), mistakes(fleetMistakes));

export type AccountEntry = z.infer<typeof accountSchema>;

/** Further contents of `accounts_dir`. The accounts of this process are in the sections. */
export interface AccountFilesFound {
  /** Mistakes of the files that cannot be used, by name of the file. */
  readonly refused: Readonly<Record<string, string>>;
  /** Accounts of other shards. */
  readonly elsewhere: readonly AccountEntry[];
}

/** `accounts` is set if `accounts_dir` is set and was read. */
export type Config = z.infer<typeof configSchema> & { readonly accounts?: AccountFilesFound };
