/**
 * What every key of the configuration is for, in words: one row per key. The tables of docs/configuration.md, the annotated
 * example and the descriptions of the JSON Schema are made from it; the program itself does not load it.
 */
export interface KeyDescription {
  /** One or two sentences. */
  readonly about: string;
  /** A value as YAML text, for a key without a default. */
  readonly example?: string;
  /** A file that holds the value, for what is better not written into the configuration. */
  readonly exampleFile?: string;
  /** Items as YAML text, for a list. Each is complete. */
  readonly items?: readonly string[];
  /** Another unit or form than the type tells. */
  readonly form?: string;
}

const TIME = 'time of day, "07:00"';
const LENGTH = "hours as a number, or 45m, 1h30m";

export const keyDescriptions: Readonly<Record<string, KeyDescription>> = {
  service: { about: "The service that is asked." },
  "service.base_url": { about: "Where both interfaces of the service live." },
  "service.ca": {
    about: "A certificate authority of your own, in PEM.",
    exampleFile: "./config/service-ca.pem",
  },
  "service.cost_field": {
    about: "The name of the amount in a row of costs, should the service call it otherwise.",
    example: "totalCost",
  },

  consumer: { about: "Your account, or a list of accounts, each with a name and a quota of its own." },
  "consumer.name": { about: "What the account is called in problems and in Home Assistant." },
  "consumer.api_key": {
    about: "The key from the app: profile, API access (needs an active Plus subscription).",
    example: "put-your-key-here",
  },

  third_party: { about: "Access to the third-party interface: spot prices and charges of any place." },
  "third_party.api_key": { about: "The key of the pair.", example: "key-of-the-pair" },
  "third_party.api_secret": { about: "The secret of the pair.", example: "secret-of-the-pair" },
  "third_party.hash_encoding": { about: "How the hash in the token is written." },
  "third_party.places": {
    about: "Places whose prices are wanted.",
    items: [
      "{ name: Region, region: DK1 }",
      "{ name: Cabin, latitude: 56.1, longitude: 10.2 }",
      '{ name: Flat, address: "Vesterbrogade 1, 1620 København V" }',
    ],
  },
  "third_party.places[].name": {
    about: "What the place is called; its topics are made of it, and stay when it is renamed.",
  },
  "third_party.places[].region": { about: "A price region. One of region, address, or latitude with longitude." },
  "third_party.places[].latitude": { about: "Degrees north, with longitude." },
  "third_party.places[].longitude": { about: "Degrees east, with latitude." },
  "third_party.places[].address": {
    about: "An address as the service's search knows it; `elbro suggest` helps.",
  },

  homes: {
    about: "Which addresses of the accounts are homes; without it, all of them. `elbro addresses` lists them.",
    items: ["{ address_id: 11111111-2222-4333-8444-555555555555, id: home, resolution: fifteenMinutes }"],
  },
  "homes[].address_id": { about: "The id of an address.", form: "UUID" },
  "homes[].id": { about: "What the home is called in topics and plans; else made of the address's label." },
  "homes[].resolution": { about: "How fine its prices are." },
  "homes[].format": {
    about: "An entity more, whose attributes are its prices as another program reads them (see docs/http-api.md).",
  },

  mqtt: { about: "The broker that everything is published to." },
  "mqtt.url": {
    about: "Address of your broker: mqtt://, mqtts://, ws:// or wss://. Without it elbro starts one itself (broker).",
    example: "mqtt://192.168.1.10:1883",
  },
  "mqtt.username": { about: "The user at your broker.", example: "elbro" },
  "mqtt.password": { about: "The user's password.", example: "password-of-elbro" },
  "mqtt.ca": {
    about: "The certificate authority of your broker, in PEM.",
    exampleFile: "./config/broker-ca.pem",
  },
  "mqtt.cert": {
    about: "A certificate to log in with, in PEM.",
    exampleFile: "./config/elbro.pem",
  },
  "mqtt.key": {
    about: "The key of that certificate, in PEM.",
    exampleFile: "./config/elbro.key",
  },
  "mqtt.base_topic": { about: "What all topics of elbro begin with." },
  "mqtt.discovery_prefix": { about: "What Home Assistant's discovery topics begin with." },

  broker: { about: "The broker inside elbro, used when mqtt.url is not set." },
  "broker.host": {
    about: "Address to listen on. Without users it listens on this machine only and lets nobody in.",
  },
  "broker.port": { about: "Port for MQTT." },
  "broker.ws_port": { about: "Port for MQTT over WebSocket.", example: "9001" },
  "broker.users": {
    about: "Who may log in.",
    items: ["{ name: homeassistant, password: a-long-password, commands: true }"],
  },
  "broker.users[].name": { about: "The user's name." },
  "broker.users[].password": { about: "The password, or what `elbro hash-password` makes of it." },
  "broker.users[].commands": { about: "Whether the user may send commands and publish to other topics." },

  api: { about: "The API for devices on the LAN." },
  "api.host": { about: "Address to listen on; 127.0.0.1 for this machine only." },
  "api.port": { about: "Port for HTTP." },
  "api.keys": {
    about: "The keys of devices, each with a quota of its own. `elbro keys create NAME` makes them without this list.",
    items: ["{ name: kitchen, key: a-long-random-text }"],
  },
  "api.keys[].name": { about: "What the device is called." },
  "api.keys[].key": { about: "The key: any long random text. The device sends it as a bearer key." },
  "api.keys[].scopes": {
    about: "What it may do: read, or also control plans.",
  },
  "api.keys[].requests_per_minute": { about: "Its own limit, where that is another than that of all keys." },
  "api.keys[].requests_per_day": { about: "Its own limit, where that is another than that of all keys." },
  "api.third_party_keys": {
    about: "Keys and secrets of devices that ask the third-party interface and make their token of both.",
    items: ["{ name: inverter, api_key: a-name-for-it, api_secret: a-long-random-text }"],
  },
  "api.third_party_keys[].name": { about: "What the device is called." },
  "api.third_party_keys[].api_key": { about: "The key, which the token tells." },
  "api.third_party_keys[].api_secret": { about: "The secret, which only proves it." },
  "api.third_party_keys[].hash_encoding": { about: "How the device writes the hash in its token." },
  "api.third_party_keys[].requests_per_minute": {
    about: "Its own limit, where that is another than that of all keys.",
  },
  "api.third_party_keys[].requests_per_day": { about: "Its own limit, where that is another than that of all keys." },
  "api.requests_per_minute": { about: "Requests a key has in a minute." },
  "api.requests_per_day": { about: "Requests a key has in a day (UTC)." },
  "api.hosts": {
    about:
      "Names of this machine beside IP addresses, names without a dot and those of a home network (.local, .lan, .home.arpa): what a browser has in its address bar, such as behind a proxy.",
    items: ["elbro.example.org"],
  },
  "api.cors": {
    about: "Pages of other servers that may ask this API from a browser: where they come from.",
    items: ["https://panel.example.org"],
  },
  "api.dashboard": {
    about: "Who sees the dashboard: whoever has a key, or everybody on the LAN.",
    example: "key",
  },

  levels: {
    about: "Where the price levels end, as parts of the mean of the last three days; dearer is very_expensive.",
  },
  "levels.very_cheap": { about: "Very cheap is at most this part of the mean." },
  "levels.cheap": { about: "Cheap is at most this part; the signal `cheap` is ON up to here." },
  "levels.normal": { about: "Normal is at most this part." },
  "levels.expensive": { about: "Expensive is at most this part." },

  plans: {
    about: "Appliances whose hours are chosen by price.",
    items: [
      '{ name: Dishwasher, home: home, kind: window, hours: 2, kwh: 1.1, from: "19:00", ready_by: "06:30" }',
      '{ name: Car, home: home, kind: slots, hours: 4, kwh: 28, min_run: 30m, from: "17:00", ready_by: "07:00" }',
      "{ name: Water heater, home: home, kind: below, percent: 35, min_run: 30m }",
      "{ name: Floor heating, home: home, kind: avoid, hours: 3, max_gap: 2h }",
    ],
  },
  "plans[].name": { about: "What it is called; its topics are made of it." },
  "plans[].home": { about: "The home whose prices count, by its id." },
  "plans[].id": { about: "What it is called in topics, where not its name." },
  "plans[].kind": {
    about:
      "window: one run; slots: hours in any pieces; below: whenever it is cheap; avoid: always but in the dearest hours.",
  },
  "plans[].hours": { about: "How long it runs; for avoid, how long it does not.", form: LENGTH },
  "plans[].profile": { about: "For window: relative power of each equal part of the run.", form: "list of numbers" },
  "plans[].kwh": { about: "What a run uses, so that costs are told in money.", form: "kWh" },
  "plans[].min_run": { about: "For slots and below: the shortest run.", form: LENGTH },
  "plans[].min_pause": { about: "For slots and below: the shortest pause.", form: LENGTH },
  "plans[].max_gap": { about: "For slots and avoid: the longest time off.", form: LENGTH },
  "plans[].at_most_runs": { about: "For slots: into how many pieces it may fall." },
  "plans[].max_price": { about: "Above this price nothing runs.", form: "currency per kWh" },
  "plans[].level": { about: "For below: runs up to this price level." },
  "plans[].percent": { about: "For below: runs in the cheapest part of the day.", form: "percent" },
  "plans[].from": { about: "Nothing runs before this time.", form: TIME },
  "plans[].ready_by": { about: "Everything has run by this time.", form: TIME },
  "plans[].days": { about: "The days on which it runs; the day of `from` counts.", form: "list of mon … sun" },
  "plans[].use_forecast": { about: "Whether to plan on estimated prices too; they never switch anything on." },
  "plans[].tolerance": { about: "For window and slots: how much dearer than the best is as good.", form: "percent" },
  "plans[].tolerance_side": { about: "Whether the earliest or the latest of those is taken." },
  "plans[].after": { about: "Another plan that has to be done first." },
  "plans[].after_pause": { about: "How long after it.", form: LENGTH },
  "plans[].power_limit": { about: "Plans with the same word here never run at the same time." },
  "plans[].fallback": { about: "Hours in which it runs when there are no prices.", form: 'list of "02:00-05:00"' },
  "plans[].enabled": { about: "Whether it does anything at all." },

  plugs: {
    about: "Smart plugs that follow a plan, a home's signal or a topic of yours.",
    items: [
      "{ name: Heater plug, family: shelly_gen2, topic: shellyplus1-a1b2c3, plan: water_heater }",
      "{ name: Car plug, family: tasmota, topic: tasmota_4F21, home: home, signal: cheap }",
    ],
  },
  "plugs[].id": { about: "What it is called in topics, where not its name." },
  "plugs[].name": { about: "What it is called." },
  "plugs[].family": { about: "What it understands." },
  "plugs[].topic": { about: "Where it listens, as its family says it." },
  "plugs[].channel": { about: "Which output, for devices with several.", form: "number or text" },
  "plugs[].plan": { about: "The plan it follows." },
  "plugs[].home": { about: "The home or third-party place whose signal it follows, by its id." },
  "plugs[].signal": { about: "The signal it follows, with home." },
  "plugs[].signal_topic": { about: "A topic of yours that says ON or OFF." },
  "plugs[].override": {
    about:
      "What happens when somebody switches it by hand: respect until the next planned change, or enforce the plan.",
  },
  "plugs[].min_on": { about: "The shortest time on.", form: "minutes" },
  "plugs[].min_off": { about: "The shortest time off.", form: "minutes" },
  "plugs[].on": { about: "For custom: what switches it on." },
  "plugs[].off": { about: "For custom: what switches it off." },
  "plugs[].dead_man": { about: "For custom: what makes it switch off by itself; {seconds} is the time." },
  "plugs[].ask": { about: "For custom: what makes it tell its state." },
  "plugs[].state": { about: "For custom: where it tells its state." },
  "plugs[].availability": { about: "For custom: where it tells whether it is there." },

  history: { about: "What is fetched of the past." },
  "history.months": { about: "How many months of the past are fetched after the first start." },
  retention: { about: "What is kept." },
  "retention.years": { about: "How many years are kept." },
  data_dir: { about: "The folder of the database and of the checked copy of it that is made every night." },
  log: { about: "What is written to the standard output." },
  "log.level": { about: "The least important lines that are written." },
};
