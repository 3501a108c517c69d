import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { KeyFile } from "../../../src/storage/api-key-file.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");

/** Data that only the owner may read. None of these texts is part of another word. */
const CANARIES = {
  consumerKey: "canary-consumer-key",
  partnerKey: "canary-partner-key",
  partnerSecret: "canary+partner/secret=",
  brokerUser: "canary-person",
  brokerPassword: "canary broker password",
  lanSecret: "canary-inverter-secret",
  homeId: "laerkevej_9",
  planName: "Mormors Ovn",
  planId: "mormors_ovn",
  oncePlan: "Anders elbil",
  plugName: "Frysekummen",
  plugId: "frysekummen",
  groupName: "hovedsikringen",
  keyName: "solcelleanlaegget",
  madeKey: "karens_telefon",
  revokedKey: "nabo_peter",
  placeName: "Skrænten hos Mormor",
  placeSlug: "skraenten_hos_mormor",
  placeAddress: "Vesterbrogade 1",
  latitude: "56.162939",
  longitude: "10.203921",
  notifyUser: "karen.hansen",
  plugUser: "anders_admin",
  apiHost: "elbro.hansens-hus.dk",
  apiDomain: "familien-hansen.dk",
  corsHost: "panel.hansens-hus.dk",
  apiUrlHost: "strom.hansens-hus.dk",
};
const config = {
  history: { months: 0 },
  homes: [{ address_id: demoHomes.danish.address.id, id: CANARIES.homeId, resolution: "fifteenMinutes" as const }],
  groups: [{ name: CANARIES.groupName, limit_kw: 11 }],
  plans: [
    planEntry({
      name: CANARIES.planName,
      kind: "slots",
      hours: 2,
      home: CANARIES.homeId,
      from: "08:00",
      ready_by: "20:00",
    }),
  ],
  plugs: configSchema.parse({
    plugs: [{ name: CANARIES.plugName, family: "tasmota", topic: "boiler", signal: "cheap", home: CANARIES.homeId }],
  }).plugs,
};

function sections() {
  const { third_party, broker, api, notify, plugs } = configSchema.parse({
    third_party: {
      api_key: CANARIES.partnerKey,
      api_secret: CANARIES.partnerSecret,
      places: [
        { name: CANARIES.placeName, latitude: Number(CANARIES.latitude), longitude: Number(CANARIES.longitude) },
        { name: "Flat", address: CANARIES.placeAddress },
      ],
    },
    notify: {
      topic_url: "http://127.0.0.1:9/canary-topic",
      username: CANARIES.notifyUser,
      password: "canary-notify-password",
    },
    plugs: [
      {
        ...{ name: "Pump", family: "shelly_gen2", signal: "cheap", home: CANARIES.homeId },
        ...{ url: "http://127.0.0.1:9", username: CANARIES.plugUser, password: "canary-plug-password" },
      },
    ],
    broker: { host: "127.0.0.1", port: 0, users: [{ name: CANARIES.brokerUser, password: CANARIES.brokerPassword }] },
    api: {
      host: "127.0.0.1",
      port: 0,
      keys: [{ name: "test", key: LAN_KEY, scopes: ["read", "control"] as ("read" | "control")[] }],
      url: `https://${CANARIES.apiUrlHost}:8443/elbro`,
      hosts: [CANARIES.apiHost, `*.${CANARIES.apiDomain}`],
      cors: [`https://${CANARIES.corsHost}:8123`],
      third_party_keys: [{ name: CANARIES.keyName, api_key: "inverter", api_secret: CANARIES.lanSecret }],
    },
  });
  return { ...config, third_party, broker, api, notify, plugs: [...config.plugs, ...plugs] };
}

test("diagnostics of a daemon with problems contain no secret and no location", async () => {
  const keys = {
    consumerKey: CANARIES.consumerKey,
    thirdParty: { apiKey: CANARIES.partnerKey, apiSecret: CANARIES.partnerSecret },
  };
  await using it = await TestDaemon.start({ start: MORNING, simulator: { keys }, config });
  await it.clock.runUntil(MORNING + 20 * MINUTE_MS);
  await it.restart({ ...sections(), consumer: { name: "consumer", api_key: CANARIES.consumerKey } });
  await it.clock.runUntil(MORNING + HOUR_MS);
  // Keys of the command line, of which one is revoked after use, and a one-time plan.
  const keyFile = new KeyFile(it.dir.path);
  const made = { kind: "bearer", scopes: ["read"], created: "2026-03-10" } as const;
  const sha256 = createHash("sha256").update("elbro_revoked").digest("hex");
  keyFile.write([CANARIES.madeKey, CANARIES.revokedKey].map((name) => ({ ...made, name, sha256 })).reverse());
  await it.clock.runUntil(MORNING + HOUR_MS + MINUTE_MS);
  const authorization = "Bearer elbro_revoked";
  await expect.poll(async () => (await it.request("/local/v1/system", { authorization })).status).toBe(200);
  keyFile.write([{ ...made, name: CANARIES.madeKey, sha256: "ab".repeat(32) }]);
  const once = { once: true, name: CANARIES.oncePlan, home: CANARIES.homeId, hours: 1, within: 24 };
  expect((await it.post("/local/v1/plans", once)).status).toBe(200);
  const failing = ["prices", "forecastPrices", "consumption"] as const;
  it.simulator.setFaults(failing.map((operation) => ({ operation, fault: "status", status: 500 })));
  await it.clock.runUntil(MORNING + 8 * HOUR_MS);
  const answer = await it.request("/local/v1/diagnostics");
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="elbro-diagnostics-2026-03-10.json"');
  const text = await answer.text();
  const lower = text.toLowerCase();
  const { id, label: _label, formattedAddress } = demoHomes.danish.address;
  const hidden = [...Object.values(CANARIES), LAN_KEY, id, formattedAddress, "Strandvejen", it.dir.path];
  for (const canary of hidden) {
    for (const form of [canary, encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1)])
      expect(lower.includes(form.toLowerCase()), form).toBe(false);
  }
  // Useful data is still there.
  const report = JSON.parse(text);
  expect(report.system.problems.length).toBeGreaterThan(0);
  const subjects = report.system.problems.map(({ subject }: { subject: string }) => subject);
  expect(subjects).toEqual(expect.arrayContaining(["consumer data"]));
  expect(report.system.problems.map(({ detail }: { detail: string }) => detail).join("\n")).toContain(
    `${id.slice(0, 8)}…`,
  );
  expect(report.system.lan.requests.map(({ key }: { key: string | null }) => key)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^key_\d$/)]),
  );
  expect(Object.keys(report.homes[0].prices)).toEqual(["today", "tomorrow", "tomorrow_valid", "forecast"]);
  expect(report.config.third_party.places[0]).toEqual({ name: "place_1", latitude: 56.2, longitude: 10.2 });
  expect(report.config.homes[0]).toMatchObject({ address_id: `${id.slice(0, 8)}…`, id: "home_1" });
  expect(report.homes[0]).toMatchObject({ id: "home_1", has_price_now: true, prices: { today: 96 } });
  expect(report.plans[0]).toMatchObject({ id: "plan_1" });
  expect(report.config.consumer.api_key).toBe("(set)");
  expect(report.machine.versions.node).toBe(process.versions.node);
  expect(text.length).toBeLessThan(60_000);
});
