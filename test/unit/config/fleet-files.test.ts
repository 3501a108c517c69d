import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readAccount, readConfig } from "../../../src/config/reading/load.ts";
import { heapFlagsFor } from "../../../src/core/status/heap-size.ts";
import { copiedFiles, copiedText } from "../../support/docs/copied-files.ts";

const readFile = (file: string) => `text of ${file}`;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [key: string]: unknown;
}

type Container = { readonly env: readonly { readonly name: string; readonly value: string }[] };

interface StatefulSet extends Manifest {
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly containers: [Container] } };
  };
}

const manifests = copiedFiles("kubernetes").flatMap((file) =>
  parseAllDocuments(copiedText(file)).map((document) => document.toJS() as Manifest),
);

function manifest<Kind extends Manifest>(kind: string, name = "elbro"): Kind {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found as Kind;
}

describe("the Kubernetes manifests", () => {
  test("contain all objects of a fleet", () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      "ConfigMap",
      "PodDisruptionBudget",
      "Secret",
      "Secret",
      "Service",
      "StatefulSet",
    ]);
  });

  test("make each pod one shard, with as many shards as replicas", () => {
    const { replicas, template } = manifest<StatefulSet>("StatefulSet").spec;
    const environment = Object.fromEntries(template.spec.containers[0].env.map(({ name, value }) => [name, value]));
    const { data } = manifest<Manifest & { readonly data: Record<string, string> }>("ConfigMap");
    for (let index = 0; index < replicas; index++) {
      const hostname = `elbro-${index}`;
      const reading = readConfig({ text: data["elbro.yaml"] ?? "", environment, readFile, hostname });
      expect(reading).toMatchObject({ kind: "config", config: { shard: { index, count: replicas } } });
    }
    expect(environment.NODE_OPTIONS).toBe(heapFlagsFor(100));
    const beyond = readConfig({ text: data["elbro.yaml"] ?? "", environment, readFile, hostname: `elbro-${replicas}` });
    expect(beyond).toMatchObject({ kind: "mistakes", mistakes: [{ path: "shard.index" }] });
  });

  test("contain a valid account as example", () => {
    const { stringData } = manifest<Manifest & { readonly stringData: Record<string, string> }>(
      "Secret",
      "elbro-accounts",
    );
    for (const text of Object.values(stringData)) expect(readAccount(text, readFile)).toMatchObject({ kind: "config" });
  });
});

describe("compose.fleet.yaml", () => {
  interface Service {
    readonly hostname: string;
    readonly volumes: readonly string[];
    readonly environment: Record<string, string>;
  }
  const { services } = parse(copiedText("compose.fleet.yaml"), { merge: true }) as {
    services: Record<string, Service>;
  };
  const shards = Object.entries(services).filter(([name]) => name.startsWith("elbro-"));

  test("compose.fleet.yaml has four shards, each with its own number and volume", () => {
    expect(shards).toHaveLength(4);
    for (const [i, [name, service]] of shards.entries()) {
      expect(service).toMatchObject({ hostname: name, read_only: true, cap_drop: ["ALL"] });
      expect(service.volumes).toContain(`data-${i}:/data`);
      const { environment, hostname } = service;
      const reading = readConfig({ text: null, environment, readFile, hostname });
      expect(reading).toMatchObject({ kind: "config", config: { shard: { index: i, count: 4 } } });
      expect(environment.NODE_OPTIONS).toBe(heapFlagsFor(100));
    }
  });

  test("compose.fleet.yaml has a broker, a database, Prometheus and Grafana", () => {
    expect(Object.keys(services)).toEqual(expect.arrayContaining(["mosquitto", "postgres", "prometheus", "grafana"]));
  });
});
