import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ArchiveError, PostgresArchive } from "../../../src/integrations/archive/postgres-archive.ts";
import { CuttingProxy } from "../../support/archive/cutting-proxy.ts";
import { PostgresServer } from "../../support/archive/postgres.ts";
import { listening } from "../../support/http/listening.ts";
import { lacks } from "../../support/runner/needs.ts";
import { Authority } from "../../support/service/certificates.ts";

const SOURCE = "11111111-1111-4111-8111-111111111111";
const { signal } = new AbortController();

let server: PostgresServer;

/** Returns a batch with `hours` hourly prices. */
function batchOf(number: number, hours: number) {
  const start = Date.parse("2026-01-01T00:00:00Z");
  const rows = Array.from({ length: hours }, (_, i) => ({
    start: new Date(start + i * 3_600_000).toISOString(),
    totalPricePerKWh: number + i / 1_000,
  }));
  const series = { account: "consumer", address: "a", series: "prices", resolution: "hour", envelope: "{}" };
  return { number, chunks: [{ ...series, latest: null, changedAt: null, rows }], entries: [] };
}

describe.skipIf(lacks("PostgreSQL"))("the connection to the archive", () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.concurrent.for(["end", "reset"] as const)(
    "cut after any number of bytes (%s) rejects with an error and stores a batch completely or not at all",
    async (cut) => {
      const database = `cut_${cut}`;
      await server.query(`create database ${database}`);
      (await PostgresArchive.connect({ url: server.url(database) }, signal)).close();
      await using proxy = await CuttingProxy.before(server.port);
      const account = { url: server.url(database).replace(`:${server.port}/`, `:${proxy.port}/`) };
      let batch = 0;
      const attempt = async () => {
        const archive = await PostgresArchive.connect(account, signal);
        try {
          await archive.write(SOURCE, batchOf(++batch, 500));
        } finally {
          archive.close();
        }
      };
      await attempt();
      const whole = proxy.passed;
      expect(whole).toBeGreaterThan(50_000);
      let cuts = 0;
      // Cuts after every few bytes of the handshake and of the short statements, but not within the batch of rows.
      for (let budget = 0; budget < whole; budget += budget < 6_000 || budget > whole - 1_500 ? 61 : 1_733) {
        Object.assign(proxy, { budget, cut });
        await attempt().then(
          () => undefined,
          (error) => {
            expect(error).toBeInstanceOf(ArchiveError);
            cuts++;
          },
        );
        const [found] = await server.query(
          `select batch, (select array_agg(distinct floor((values->>'totalPricePerKWh')::numeric)) from elbro.rows) as written
           from elbro.source`,
          database,
        );
        expect(found?.written.map(Number)).toEqual([Number(found?.batch)]);
      }
      expect(cuts).toBeGreaterThan(100);
      proxy.budget = null;
      await attempt();
    },
  );

  test("a connection that PostgreSQL ends while idle is detected; the next action names the reason or connects again", async () => {
    const archive = await PostgresArchive.connect({ url: server.url() }, signal);
    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'elbro'");
    await expect.poll(() => archive.isOpen).toBe(false);
    await expect(archive.lastBatch(SOURCE)).rejects.toThrow(ArchiveError);
    const again = await PostgresArchive.connect({ url: server.url() }, signal);
    expect(await again.lastBatch(SOURCE)).toBe(0);
    again.close();
  });

  test("a connection that is closed while it connects or waits for a response ends at once", async () => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    // Accepts connections and does not respond.
    await using silent = await listening(
      net.createServer((socket) => {
        socket.on("error", () => undefined).once("close", () => closed.resolve());
        socket.once("data", () => stop.abort());
      }),
    );
    const url = `postgres://elbro@127.0.0.1:${silent.port}/elbro`;
    const ended = "the connection was closed";
    await expect(PostgresArchive.connect({ url }, stop.signal)).rejects.toThrow(ended);
    await closed.promise;
    await expect(PostgresArchive.connect({ url }, stop.signal)).rejects.toThrow(ended);
    const archive = await PostgresArchive.connect({ url: server.url() }, signal);
    server.freeze();
    const asking = archive.lastBatch(SOURCE);
    archive.close();
    await expect(asking).rejects.toThrow(ended);
    server.thaw();
  });

  test("options of the URL have the same meaning as in PostgreSQL's own programs; an unknown one is rejected by name", async () => {
    const database = "options";
    await server.query(`create database ${database}`);
    const outcome = async (options: string, rest: { readonly ca?: string; readonly host?: string } = {}) => {
      const { ca, host = "127.0.0.1" } = rest;
      const url = `${server.url(database).replace("127.0.0.1", host)}${options}`;
      try {
        const archive = await PostgresArchive.check({ url, ca }, signal);
        const text = `select coalesce(ssl, false) as tls from pg_stat_activity left join pg_stat_ssl using (pid) where datname = '${database}' and application_name = 'elbro'`;
        const [found] = await server.query(text);
        archive.close();
        await expect.poll(() => server.query(text)).toEqual([]);
        return found?.tls === true ? "TLS" : "plain";
      } catch (error) {
        return error instanceof ArchiveError ? error.message : error;
      }
    };
    expect(await outcome("")).toBe("plain");
    expect(await outcome("?sslmode=require")).toBe("The server does not support SSL connections");
    using authority = new Authority("Archive");
    await server.down();
    server.identify(authority.issue("database", "IP:127.0.0.1"));
    await server.up();
    const warnings: string[] = [];
    const note = ({ message }: Error) => void warnings.push(message);
    process.on("warning", note);
    expect(await outcome("")).toBe("plain");
    expect(await outcome("?sslmode=disable")).toBe("plain");
    for (const mode of ["require", "prefer", "allow"])
      expect([mode, await outcome(`?sslmode=${mode}`)]).toEqual([mode, "TLS"]);
    for (const options of ["?sslmode=verify-full", "?sslmode=verify-ca", "?ssl=true"])
      expect([options, await outcome(options)]).toEqual([
        options,
        expect.stringMatching(/unable to verify|self.signed/),
      ]);
    const { cert: ca } = authority;
    for (const options of ["", "?sslmode=require", "?sslmode=verify-full"])
      expect([options, await outcome(options, { ca })]).toEqual([options, "TLS"]);
    expect(await outcome("", { ca, host: "localhost" })).toMatch(/Hostname\/IP does not match/);
    expect(await outcome("?options=-c%20search_path%3Delbro")).toBe("plain");
    expect(await outcome("?sslrootcert=/ca.pem")).toBe("archive.url has the unknown option sslrootcert");
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });
});
