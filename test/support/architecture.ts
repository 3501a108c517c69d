/**
 * The rules of the design that a machine can hold: who may import whom, what pure folders may not touch, and the shape
 * of files. One function from sources to violations, so that tests can show it sources with planted mistakes.
 */
import { posix } from "node:path";
import { parseSync } from "rolldown/utils";

export interface Violation {
  readonly path: string;
  readonly rule: "parse" | "imports" | "purity" | "clock" | "process" | "default-export" | "barrel" | "length";
  readonly what: string;
}

/** Sources by their path from the repository root, `src/…` with forward slashes. */
export type Sources = Readonly<Record<string, string>>;

/** Folders of roots: what stands in them may import everything, as the files of `src` itself may. */
const ROOT_FOLDERS: readonly string[] = ["commands"];

/** Who may import whom beside itself. Source: design. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: ["src/core/"],
  config: ["src/core/"],
  store: ["src/core/"],
  mqtt: ["src/core/"],
  collector: ["src/core/"],
  homeassistant: ["src/core/", "src/mqtt/"],
  plugs: ["src/core/", "src/mqtt/"],
  upstream: ["src/core/", "src/contract/"],
  server: ["src/core/", "src/contract/"],
  simulator: ["src/core/", "src/contract/", "src/service/serve/mount.ts"],
};

/** Packages of the pure folders, each with the one place that may import it. */
const PURE_PACKAGES: Readonly<Record<string, string>> = {
  luxon: "src/core/time/calendar.ts",
  "zod/mini": "src/contract/",
};
const PURE_FOLDERS: readonly string[] = ["core", "contract"];
/** Folders that read the clock; every other is told the time. */
const CLOCK_FOLDERS: readonly string[] = ["collector"];

/** Globals by which a pure function would reach the world. */
const WORLD: ReadonlySet<string> = new Set([
  "console",
  "crypto",
  "fetch",
  "global",
  "globalThis",
  "performance",
  "process",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

const MAX_LINES = 300;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

interface Visit {
  readonly node: Node;
  readonly parent: Node | null;
  /** The parent's field the node stands in. */
  readonly field: string;
}

/** Checks every file of `sources`. Shape: violations in the order of the files; none for a sound tree. */
export function violationsIn(sources: Sources): Violation[] {
  return Object.entries(sources).flatMap(([path, source]) => violationsOf(path, source));
}

/** Every module a source names: static, type-only, dynamic and re-exports; null for one that is not a plain text. */
export function importsOf(path: string, source: string): (string | null)[] {
  return [...walk(parse(path, source).program)].flatMap(({ node }) => moduleOf(node));
}

function violationsOf(path: string, source: string): Violation[] {
  const { errors, program } = parse(path, source);
  if (errors.length > 0) return [{ path, rule: "parse", what: errors[0]?.message ?? "does not parse" }];
  const visits = [...walk(program)];
  const lineOf = (node: Node) => source.slice(0, node.start).split("\n").length;
  const found = [
    ...visits.flatMap(({ node }) => moduleOf(node).map((name) => ({ node, ...importRule(path, name) }))),
    ...visits.map((visit) => ({ node: visit.node, ...worldRule(path, visit) })),
    ...visits.map(({ node }) => ({ node, ...defaultExportRule(path, node) })),
  ];
  return [
    ...found.flatMap(({ node, rule, what }) =>
      rule && what ? [{ path, rule, what: `line ${lineOf(node)}: ${what}` }] : [],
    ),
    ...shapeViolations(path, source, program),
  ];
}

type Finding = { readonly rule?: Violation["rule"]; readonly what?: string };
const SOUND: Finding = {};

function importRule(path: string, name: string | null): Finding {
  const folder = folderOf(path);
  if (name === null) return { rule: "imports", what: "imports what only a run can tell" };
  if (/^(node:)?process$/.test(name) && folder !== null) return { rule: "process", what: `imports ${name}` };
  if (folder === null) return SOUND;
  if (!name.startsWith(".")) return packageRule(path, folder, name);
  const target = posix.join(posix.dirname(path), name);
  const allowed = MAY_IMPORT[folder];
  if (!allowed) return { rule: "imports", what: `src/${folder} has no row in the import table` };
  const permitted = [`src/${folder}/`, ...allowed].some((prefix) => target.startsWith(prefix));
  return permitted ? SOUND : { rule: "imports", what: `${folder} may not import ${target}` };
}

function packageRule(path: string, folder: string, name: string): Finding {
  if (!PURE_FOLDERS.includes(folder)) return SOUND;
  const home = PURE_PACKAGES[name];
  return home && path.startsWith(home) ? SOUND : { rule: "purity", what: `imports ${name}` };
}

function worldRule(path: string, visit: Visit): Finding {
  const folder = folderOf(path);
  if (folder === null) return SOUND;
  const clock = clockReading(visit.node);
  if (clock && !CLOCK_FOLDERS.includes(folder)) {
    return { rule: PURE_FOLDERS.includes(folder) ? "purity" : "clock", what: `reads the clock by ${clock}` };
  }
  const name = globalNamed(visit);
  if (PURE_FOLDERS.includes(folder)) {
    if (isMember(visit.node, "Math", "random")) return { rule: "purity", what: "uses Math.random" };
    return name && WORLD.has(name) ? { rule: "purity", what: `uses ${name}` } : SOUND;
  }
  const touches = name === "process" || isMember(visit.node, "globalThis", "process");
  return touches ? { rule: "process", what: "uses process; only roots do" } : SOUND;
}

function defaultExportRule(path: string, node: Node): Finding {
  if (path.endsWith(".d.ts")) return SOUND;
  const isDefault =
    node.type === "ExportDefaultDeclaration" ||
    node.type === "TSExportAssignment" ||
    (node.type === "ExportSpecifier" && nameOf(node.exported) === "default");
  return isDefault ? { rule: "default-export", what: "exports a default" } : SOUND;
}

function shapeViolations(path: string, source: string, program: Node): Violation[] {
  const found: Violation[] = [];
  const lines = source.replace(/\n$/, "").split("\n").length;
  if (lines > MAX_LINES) found.push({ path, rule: "length", what: `${lines} lines; at most ${MAX_LINES}` });
  const statements = childrenOf(program, "body");
  const passesOn = (node: Node) =>
    node.type === "ExportAllDeclaration" || (node.type === "ExportNamedDeclaration" && isNode(node.source));
  const onlyPassesOn =
    statements.some((node) => node.type.startsWith("Export")) &&
    statements.every((node) => node.type === "ImportDeclaration" || passesOn(node) || isBareExport(node));
  if (posix.basename(path) === "index.ts") found.push({ path, rule: "barrel", what: "is called index.ts" });
  else if (onlyPassesOn) found.push({ path, rule: "barrel", what: "only passes on what others export" });
  else if (statements.some((node) => node.type === "ExportAllDeclaration"))
    found.push({ path, rule: "barrel", what: "exports all of another file" });
  return found;
}

/** `export { x }` of something that the file does not declare itself; with imports only, it was imported. */
function isBareExport(node: Node): boolean {
  return node.type === "ExportNamedDeclaration" && !isNode(node.declaration);
}

/** The folder of `src` a file is in; null for a root. */
function folderOf(path: string): string | null {
  const [, folder, file] = path.split("/");
  return file === undefined || ROOT_FOLDERS.includes(folder ?? "") ? null : (folder ?? null);
}

function moduleOf(node: Node): (string | null)[] {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return [textOf(node.source)];
    case "ExportNamedDeclaration":
      return isNode(node.source) ? [textOf(node.source)] : [];
    case "TSExternalModuleReference":
      return [textOf(node.expression)];
    case "CallExpression":
      return nameOf(node.callee) === "require" ? [textOf(childrenOf(node, "arguments")[0])] : [];
    default:
      return [];
  }
}

function clockReading(node: Node): string | null {
  if (isMember(node, "Date", "now")) return "Date.now";
  if (nameOf(node.callee) !== "Date") return null;
  if (node.type === "CallExpression") return "Date()";
  return node.type === "NewExpression" && childrenOf(node, "arguments").length === 0 ? "new Date()" : null;
}

/** The name of an identifier that stands for a value, not for a field or an outside name of something. */
function globalNamed({ node, parent, field }: Visit): string | null {
  if (node.type !== "Identifier") return null;
  const named = parent !== null && ["property", "key", "imported", "exported", "right", "label"].includes(field);
  const isField = named && /Member|Property|Method|Specifier|QualifiedName|Label|Accessor/.test(parent.type);
  return isField && parent.computed !== true ? null : nameOf(node);
}

function isMember(node: Node, object: string, property: string): boolean {
  if (node.type !== "MemberExpression" || nameOf(node.object) !== object) return false;
  return (node.computed === true ? textOf(node.property) : nameOf(node.property)) === property;
}

function nameOf(value: unknown): string | null {
  return isNode(value) && value.type === "Identifier" && typeof value.name === "string" ? value.name : null;
}

function textOf(value: unknown): string | null {
  return isNode(value) && value.type === "Literal" && typeof value.value === "string" ? value.value : null;
}

function childrenOf(node: Node, field: string): Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function parse(path: string, source: string): { program: Node; errors: readonly { message: string }[] } {
  const { program, errors }: { program: unknown; errors: readonly { message: string }[] } = parseSync(path, source);
  if (!isNode(program)) throw new TypeError(`${path}: the parser gave no program`);
  return { program, errors };
}

function* walk(node: Node, parent: Node | null = null, field = ""): Generator<Visit> {
  yield { node, parent, field };
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* walk(child, node, name);
    }
  }
}
