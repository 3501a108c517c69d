import { once } from "node:events";
import { writeFileSync } from "node:fs";
import https from "node:https";
import { connect as connectPlain } from "node:net";
import tls, { type TLSSocket } from "node:tls";
import mqtt from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import type { InstalledDaemon } from "../../support/processes/installed-daemon.ts";
import { lacks } from "../../support/runner/needs.ts";
import { Authority, type Identity } from "../../support/service/certificates.ts";

const HERE = "DNS:localhost,IP:127.0.0.1";

describe.skipIf(lacks("openssl"))("api.tls and broker.tls (skipped without openssl)", () => {
  let ours: Authority;
  let identities: readonly Identity[];
  beforeAll(() => {
    ours = new Authority("ours");
    identities = ["first", "second"].map((name) => ours.issue(name, HERE));
  });
  afterAll(() => ours?.[Symbol.dispose]());

  const write = ({ dir }: InstalledDaemon, { cert, key }: Identity) => {
    writeFileSync(dir.file("cert.pem"), cert);
    writeFileSync(dir.file("key.pem"), key, { mode: 0o600 });
  };
  const configured = (installed: InstalledDaemon) => {
    const files = { cert_file: installed.dir.file("cert.pem"), key_file: installed.dir.file("key.pem") };
    installed.configure({
      api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }], tls: files },
      broker: { host: "127.0.0.1", port: 0, users: [{ name: "test", password: "test" }], tls: files },
    });
  };
  async function certificateAt(port: number): Promise<string> {
    const socket: TLSSocket = tls.connect({ host: "127.0.0.1", port, ca: ours.cert });
    await once(socket, "secureConnect");
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  }

  test("serve HTTPS and MQTTS, and a new certificate applies without a restart", async () => {
    await using installed = await TestDaemon.install();
    const [first, second] = identities;
    if (!first || !second) throw new Error("no certificates");
    write(installed, first);
    configured(installed);
    await using daemon = await installed.launch();
    const [api, broker] = [await daemon.apiPort(), await daemon.brokerPort()];

    const request = https.get({ host: "127.0.0.1", port: api, path: "/livez", ca: ours.cert });
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(200);
    response.resume();
    const login = { username: "test", password: "test", ca: ours.cert, reconnectPeriod: 0 };
    const client = await mqtt.connectAsync(`mqtts://127.0.0.1:${broker}`, login);
    expect(client.connected).toBe(true);
    const plain = connectPlain(broker, "127.0.0.1").on("error", () => undefined);
    plain.resume().end("plain text");
    await daemon.line(/the TLS handshake failed/);
    plain.destroy();

    await using health = installed.spawn(["health"], { ELBRO_API_PORT: String(api) });
    expect([await health.exit, health.output]).toEqual([0, "ok"]);

    write(installed, second);
    daemon.signal("SIGHUP");
    await daemon.line(/"api\.tls\.cert".*configuration reloaded/);
    expect([await certificateAt(api), await certificateAt(broker)]).toEqual(["second", "second"]);
    expect(client.connected).toBe(true);
    await client.endAsync(true);

    write(installed, { cert: first.cert, key: second.key });
    daemon.signal("SIGHUP");
    await daemon.line(/api\.tls\.key: expected the private key of the certificate/);
    expect(await certificateAt(api)).toBe("second");
  });

  test("a certificate or key that cannot be used is a mistake", async () => {
    await using installed = await TestDaemon.install();
    write(installed, { cert: "no certificate", key: "no key" });
    configured(installed);
    const { code, output } = await installed.run("check");
    expect(code).toBe(78);
    for (const server of ["api", "broker"]) {
      expect(output).toContain(`${server}.tls.cert: expected a certificate in PEM`);
      expect(output).toContain(`${server}.tls.key: expected a private key in PEM, without a password`);
    }
    expect(output).not.toContain("no key");
  });
});
