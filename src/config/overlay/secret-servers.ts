/** The server of each secret: named in the row of the schema, and as a text that differs for different servers. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type * as z from "zod/mini";
import { invariant } from "../../core/invariant.ts";
import { pathText } from "../reading/mistake.ts";
import { defaultOf, isOptional, itemOf, keysBelow, schemaAt, shapeOf } from "../schema/schema-nodes.ts";
import { isTree, type Tree, valueAt } from "../tree.ts";

type Node = z.core.$ZodType;
type Path = readonly PropertyKey[];

declare const SERVER: unique symbol;
/** Schema of a secret whose server is known. */
interface Bound<Server extends string> {
  readonly [SERVER]: Server;
}
type Word = "key" | "secret" | "password" | "token" | "topic_url" | "webhook_url" | "webhook_headers" | "webhook_body";
/** Names of secrets, as in `isSecretKey`. */
type SecretName = Word | `${string}_${Word}`;
/** Keys of servers that are named from other sections. */
type RootServer = "service.base_url";
type Definition<Schema> = Schema extends { readonly _zod: { readonly def: infer Found } } ? Found : never;

/** Names of the secrets in a schema that have no server, or one that is not a key next to it. */
type Unbound<Schema, Name = "", Siblings = ""> =
  Schema extends Bound<infer Server>
    ? Exclude<Server, Siblings | RootServer | "itself" | "nobody"> extends never
      ? never
      : Name
    : Definition<Schema> extends { readonly innerType: infer Inner }
      ? Unbound<Inner, Name, Siblings>
      : Name extends SecretName
        ? Name
        : Definition<Schema> extends { readonly shape: infer Shape }
          ? { [Key in keyof Shape]: Unbound<Shape[Key], Key, keyof Shape> }[keyof Shape]
          : Definition<Schema> extends { readonly element: infer Item }
            ? Unbound<Item>
            : Definition<Schema> extends { readonly options: readonly (infer Option)[] }
              ? Option extends unknown
                ? Unbound<Option>
                : never
              : never;

const servers = new WeakMap<Node, string>();

/**
 * Returns the schema of a secret. `server` is the key with the URL of the only server that it may be sent to: one next
 * to it, a path, `itself` for a URL that is a secret, or `nobody` for what elbro only compares or signs with.
 */
export function secret<Schema extends z.ZodMiniType, const Server extends string>(server: Server, schema: Schema) {
  const own = schema.check();
  servers.set(own, server);
  return own as Schema & Bound<Server>;
}

/** Returns the schema. A secret in it without a server does not compile. */
export function withServers<Schema extends Node>(
  schema: Schema &
    ([Unbound<Schema>] extends [never] ? unknown : { readonly "secrets without a server": Unbound<Schema> }),
): Schema {
  return schema;
}

/** A secret, and the key of its server. */
export interface SecretPlace {
  readonly path: Path;
  readonly server: Path;
  /** Whether its section cannot do without it. */
  readonly isNeeded: boolean;
}

/**
 * Returns the secrets of a value that are sent to the server of another key. Lists of entries may be sections by id.
 */
export function secretPlacesIn(node: Node | undefined, value: unknown, path: Path = []): SecretPlace[] {
  if (Array.isArray(value)) return value.flatMap((each, i) => secretPlacesIn(itemOf(node), each, [...path, i]));
  if (!isTree(value)) return [];
  const shape = shapeOf(node);
  if (!shape) return Object.entries(value).flatMap(([id, each]) => secretPlacesIn(itemOf(node), each, [...path, id]));
  return Object.entries(shape).flatMap(([key, below]) => {
    const here = [...path, key];
    if ((value[key] ?? null) === null) return [];
    const server = serverOf(below);
    if (server === null) return secretPlacesIn(below, value[key], here);
    if (server === "itself" || server === "nobody") return [];
    return [{ path: here, server: serverPath(server, path), isNeeded: !isOptional(below) }];
  });
}

/** A configuration whose secrets may be sent, and the server of each of them there. */
export type SecretSource = { readonly tree: Tree; readonly serverOf: (place: SecretPlace) => string | undefined };

/** Throws an InvariantError if a secret of `tree` has another server than in the source that it comes from. */
export function checkServers(schema: Node, tree: Tree, sources: readonly SecretSource[]): void {
  for (const place of secretPlacesIn(schema, tree)) {
    const server = serverIn(schema, tree, place.server);
    const isOf = (source: SecretSource) =>
      isDeepStrictEqual(valueAt(source.tree, place.path), valueAt(tree, place.path)) &&
      source.serverOf(place) === server;
    invariant(sources.some(isOf), `a secret leaves for its server: ${pathText(place.path)}`);
  }
}

/** Returns the keys of all servers in a schema to which secrets are sent. Keys of list items have none. */
export function serversBelow(schema: Node): string[] {
  const found = keysBelow(schema).flatMap(({ path }) => {
    const server = serverOf(schemaAt(path, schema)) ?? "nobody";
    if (server === "nobody") return [];
    return (server === "itself" ? path : serverPath(server, path.slice(0, -1))).join(".");
  });
  return [...new Set(found)];
}

/** Returns the path of a server that is named in a section. */
function serverPath<Part extends PropertyKey>(server: string, section: readonly Part[]): (Part | string)[] {
  return server.includes(".") ? server.split(".") : [...section, server];
}

/**
 * Returns the server that a key names, as protocol, host and the certificates that it must have; empty if none is named.
 * Another path at a server is no other server.
 */
export function serverIn(schema: Node, tree: Tree, path: Path): string {
  const url = valueAt(tree, path) ?? defaultOf(schemaAt(path, schema));
  if (typeof url !== "string") return "";
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: "", host: url };
  const origin = `${protocol}//${host}`.toLowerCase();
  const trusted = ["ca", "certificate"].map((key) => valueAt(tree, [...path.slice(0, -1), key]) ?? "");
  if (trusted.every((each) => each === "")) return origin;
  const digest = createHash("sha256").update(trusted.join("\n")).digest("hex");
  return `${origin} ${digest.slice(0, 16)}`;
}

/** Returns the server of a schema's secret; null for a schema that is no secret. */
export function serverOf(node: Node | undefined): string | null {
  const { innerType } = (node?._zod.def ?? {}) as { readonly innerType?: Node };
  return node ? (servers.get(node) ?? (innerType ? serverOf(innerType) : null)) : null;
}
