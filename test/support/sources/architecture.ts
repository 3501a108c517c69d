/**
 * Checks the design rules that can be automated: imports between modules, purity of the pure folders, and file shape.
 * Sources are passed as text, so that tests can plant violations.
 */
import { posix } from "node:path";
import { parseSync } from "rolldown/utils";
// Sources that read JSON that elbro itself wrote, and what it is.
import OWN_JSON_READERS from "../../fixtures/own-json-readers.json" with { type: "json" };

export interface Violation {
  readonly path: string;
  readonly rule:
    | "parse"
    | "imports"
    | "purity"
    | "clock"
    | "process"
    | "pattern"
    | "json"
    | "default-export"
    | "barrel"
    | "length";
  readonly what: string;
}

/** Sources by their path from the repository root, `src/…` with forward slashes. */
export type Sources = Readonly<Record<string, string>>;

/** Order of the modules. A module may import only modules with a smaller number. */
const RANK: Readonly<Record<string, number>> = {
  i18n: -1,
  core: 0,
  config: 1,
  service: 1,
  storage: 1,
  http: 2,
  state: 3,
  simulator: 3,
  plans: 4,
  mqtt: 5,
  plugs: 6,
  integrations: 7,
  api: 8,
  "daemon.ts": 9,
  cli: 10,
  "main.ts": 11,
  dashboard: 12,
};
/** Modules that may import less than their place in the order allows. */
const ONLY_IMPORTS: Readonly<Record<string, readonly string[]>> = { simulator: ["core", "service", "http"] };
/** Modules that only these modules may import. */
const ONLY_IMPORTED_BY: Readonly<Record<string, readonly string[]>> = { simulator: ["cli"] };

/** Packages that pure folders may import, each with the only path that may import it. */
const PURE_PACKAGES: Readonly<Record<string, string>> = { "zod/mini": "src/service/contract/" };
const PURE_FOLDERS: readonly string[] = ["src/core/", "src/service/contract/"];
/** The contract may import only itself and core. */
const CONTRACT = "src/service/contract/";
/**
 * Modules that may read the system clock, environment, arguments and signals. All others receive them as parameters.
 */
const ROOTS: readonly string[] = ["cli", "main.ts"];
/** Members of `process` that every module may read. They are constants or measurements, never inputs of a rule. */
const PROCESS_FACTS: ReadonlySet<string> = new Set([
  "arch",
  "cpuUsage",
  "execArgv",
  "execPath",
  "getuid",
  "memoryUsage",
  "platform",
  "uptime",
  "versions",
]);

/** Globals with side effects or external inputs, which pure modules may not use. */
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

/** The place that reads JSON of others, with a budget for each source. */
const FOREIGN_TEXT = "src/core/text/foreign-text.ts";
const OWN_JSON = "src/core/text/own-json.ts";
/** Sources that are sent to browsers. They may import types of any module, but values only of core and these packages. */
const BROWSER = "src/dashboard/";
const BROWSER_FOLDERS: readonly string[] = [BROWSER, "src/core/", "src/i18n/languages.ts"];
const BROWSER_PACKAGES: readonly string[] = ["preact", "preact/hooks", "@preact/signals", "uqr"];

/**
 * Files that compile a regular expression from a value: of our own schema, constants, or escaped names. One of an owner
 * or of the network could keep the event loop for ever.
 */
const COMPILES_VALUES =
  /^src\/(dashboard\/forms\/fields|config\/reading\/yaml-text|core\/(plugs\/families\/shelly-gen2|text\/redact))\.ts$/;

const MAX_LINES = 300;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

interface Visit {
  readonly node: Node;
  readonly parent: Node | null;
  /** Field of the parent that holds the node. */
  readonly field: string;
}

/** Longest function in lines, and most parameters of one. */
const MAX_FUNCTION_LINES = 60;
const MAX_PARAMETERS = 4;

/** Returns the functions that are longer, or take more parameters: `path name: 70 lines` or `path name: 5 parameters`. */
export function largeFunctions(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) => {
    const visits = [...walk(parse(path, source).program)];
    return visits.flatMap(({ node, parent }) => {
      if (!/Function|TSMethodSignature/.test(node.type) || /Body$/.test(node.type)) return [];
      const named = [node.id, node.key, parent?.key, parent?.id].find(isNode);
      const where = `${path} ${String(named?.name ?? "(…)")}`;
      const lines = source.slice(node.start, Number(node.end)).split("\n").length;
      const parameters = childrenOf(node, "params").length;
      return [
        ...(isNode(node.body) && lines > MAX_FUNCTION_LINES ? [`${where}: ${lines} lines`] : []),
        ...(parameters > MAX_PARAMETERS ? [`${where}: ${parameters} parameters`] : []),
      ];
    });
  });
}

/** Names that each command exports. */
const NAMES_OF_COMMANDS: readonly string[] = ["line", "main"];

/** Returns the names that more than one file exports: `name: path, path`. */
export function namesExportedTwice(sources: Sources): string[] {
  const exported = Object.entries(sources).flatMap(([path, source]) =>
    childrenOf(parse(path, source).program, "body")
      .flatMap(exportedNames)
      .map((name) => ({ name, path })),
  );
  return [...Map.groupBy(exported, ({ name }) => name)].flatMap(([name, all]) => {
    const paths = [...new Set(all.map(({ path }) => path))];
    return paths.length < 2 || NAMES_OF_COMMANDS.includes(name) ? [] : [`${name}: ${paths.join(", ")}`];
  });
}

function exportedNames(node: Node): string[] {
  if (node.type !== "ExportNamedDeclaration") return [];
  const { declaration } = node;
  const declared = isNode(declaration) ? [declaration, ...childrenOf(declaration, "declarations")] : [];
  const bound = declared.flatMap(({ id }) => (isNode(id) ? [...walk(id)] : []));
  const names = bound.flatMap(({ node: each, field }) =>
    ["", "value", "elements"].includes(field) ? nameOf(each) : [],
  );
  const passedOn = childrenOf(node, "specifiers").map(({ exported }) => nameOf(exported));
  return [...names, ...passedOn].flatMap((name) => name ?? []);
}

/** Checks every file of `sources`. Returns the violations in the order of the files. */
export function violationsIn(sources: Sources): Violation[] {
  return Object.entries(sources).flatMap(([path, source]) => violationsOf(path, source));
}

/**
 * Returns every module that a source imports or re-exports, types and dynamic imports included; null if the name is not
 * a string literal.
 */
export function importsOf(path: string, source: string): (string | null)[] {
  return [...walk(parse(path, source).program)].flatMap(({ node }) => moduleOf(node));
}

/** Returns each import cycle once, type imports included, as a path from file to file. */
export function importCircles(sources: Sources): readonly string[] {
  return followImports(sources, importsOf).circles;
}

/** Returns the length of the longest chain of static value imports. */
export function importLevels(sources: Sources): number {
  return followImports(sources, valueImportsOf).levels;
}

/** Returns the modules that are loaded together with a source. */
export function valueImportsOf(path: string, source: string): (string | null)[] {
  return valueImportsIn(parse(path, source).program).map(({ name }) => name);
}

function valueImportsIn(program: Node): { readonly node: Node; readonly name: string | null }[] {
  const isType = (node: Node) => node.importKind === "type" || node.exportKind === "type";
  return childrenOf(program, "body").flatMap((node) => {
    const specifiers = childrenOf(node, "specifiers");
    const onlyTypes = isType(node) || (specifiers.length > 0 && specifiers.every(isType));
    return onlyTypes ? [] : moduleOf(node).map((name) => ({ node, name }));
  });
}

function followImports(sources: Sources, namesIn: typeof importsOf): { circles: string[]; levels: number } {
  const levels = new Map<string, number>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): number => {
    const known = levels.get(path);
    if (known !== undefined) return known;
    if (trail.includes(path)) {
      circles.push([...trail.slice(trail.indexOf(path)), path].join(" > "));
      return 0;
    }
    const targets = namesIn(path, sources[path] ?? "")
      .filter((name) => name?.startsWith("."))
      .map((name) => posix.join(posix.dirname(path), name ?? ""))
      .filter((target) => target in sources);
    const level = 1 + Math.max(0, ...targets.map((target) => visit(target, [...trail, path])));
    levels.set(path, level);
    return level;
  };
  return { levels: Math.max(0, ...Object.keys(sources).map((path) => visit(path, []))), circles };
}

function violationsOf(path: string, source: string): Violation[] {
  const { errors, program } = parse(path, source);
  if (errors.length > 0) return [{ path, rule: "parse", what: errors[0]?.message ?? "does not parse" }];
  const visits = [...walk(program)];
  const lineOf = (node: Node) => source.slice(0, node.start).split("\n").length;
  const found = [
    ...visits.flatMap(({ node }) => moduleOf(node).map((name) => ({ node, ...importRule(path, name) }))),
    ...browserViolations(path, program),
    ...visits.map((visit) => ({ node: visit.node, ...worldRule(path, visit) })),
    ...visits.map(({ node }) => ({ node, ...defaultExportRule(path, node) })),
    ...visits.map(({ node }) => ({ node, ...patternRule(path, node) })),
    ...visits.map(({ node }) => ({ node, ...jsonRule(path, node) })),
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
  if (name === null) return { rule: "imports", what: "imports a name that is only known at run time" };
  if (/^(node:)?process$/.test(name) && !isRoot(path)) return { rule: "process", what: `imports ${name}` };
  if (!name.startsWith(".")) return packageRule(path, name);
  const target = posix.join(posix.dirname(path), name);
  const [from, to] = [moduleIn(path), moduleIn(target)];
  const rank = RANK[from];
  if (rank === undefined) return { rule: "imports", what: `src/${from} is not in the list of modules` };
  const isContractLeaving = path.startsWith(CONTRACT) && from === to && !target.startsWith(CONTRACT);
  if (target.startsWith("src/") && mayImport(from, to) && !isContractLeaving) return SOUND;
  return { rule: "imports", what: `${isContractLeaving ? "service/contract" : from} may not import ${target}` };
}

function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  const isLower = (RANK[to] ?? Number.POSITIVE_INFINITY) < (RANK[from] ?? 0);
  return isLower && (ONLY_IMPORTS[from]?.includes(to) ?? true) && (ONLY_IMPORTED_BY[to]?.includes(from) ?? true);
}

/** Finds value imports of modules that are not sent to the browser. */
function browserViolations(path: string, program: Node): (Finding & { readonly node: Node })[] {
  if (!path.startsWith(BROWSER)) return [];
  return valueImportsIn(program).flatMap(({ node, name }) => {
    const isSent = name?.startsWith(".")
      ? BROWSER_FOLDERS.some((folder) => posix.join(posix.dirname(path), name).startsWith(folder))
      : BROWSER_PACKAGES.includes(name ?? "");
    return isSent ? [] : { node, rule: "imports" as const, what: `a browser has no ${name}` };
  });
}

function packageRule(path: string, name: string): Finding {
  if (!isPure(path)) return SOUND;
  const home = PURE_PACKAGES[name];
  return home && path.startsWith(home) ? SOUND : { rule: "purity", what: `imports ${name}` };
}

function worldRule(path: string, visit: Visit): Finding {
  if (isRoot(path) || path.startsWith(BROWSER)) return SOUND;
  const clock = clockReading(visit.node);
  if (clock) return { rule: isPure(path) ? "purity" : "clock", what: `reads the clock by ${clock}` };
  const name = globalNamed(visit);
  if (isPure(path)) {
    if (isMember(visit.node, "Math", "random")) return { rule: "purity", what: "uses Math.random" };
    return name && WORLD.has(name) ? { rule: "purity", what: `uses ${name}` } : SOUND;
  }
  const touches = (name === "process" && !isProcessFact(visit)) || isMember(visit.node, "globalThis", "process");
  return touches ? { rule: "process", what: "uses process; only the command line does" } : SOUND;
}

/** Returns true for `process.platform` and similar, also in the form `const { platform } = process`. */
function isProcessFact({ node, parent }: Visit): boolean {
  if (parent?.type === "MemberExpression" && parent.object === node)
    return PROCESS_FACTS.has(nameOf(parent.property) ?? "");
  if (parent?.type !== "VariableDeclarator" || parent.init !== node || !isNode(parent.id)) return false;
  const properties = childrenOf(parent.id, "properties");
  return properties.length > 0 && properties.every((property) => PROCESS_FACTS.has(nameOf(property.key) ?? ""));
}

function defaultExportRule(path: string, node: Node): Finding {
  if (path.endsWith(".d.ts")) return SOUND;
  const isDefault =
    node.type === "ExportDefaultDeclaration" ||
    node.type === "TSExportAssignment" ||
    (node.type === "ExportSpecifier" && nameOf(node.exported) === "default");
  return isDefault ? { rule: "default-export", what: "exports a default" } : SOUND;
}

function patternRule(path: string, node: Node): Finding {
  const [pattern] = /^(New|Call)Expression$/.test(node.type) ? childrenOf(node, "arguments") : [];
  if (nameOf(node.callee) !== "RegExp" || pattern?.type === "Literal" || COMPILES_VALUES.test(path)) return SOUND;
  return { rule: "pattern", what: "compiles a regular expression from a value" };
}

/** JSON is read by `readForeign`, which has a budget for each source, or is elbro's own. */
function jsonRule(path: string, node: Node): Finding {
  if (path === FOREIGN_TEXT || path in OWN_JSON_READERS || path.startsWith(BROWSER)) return SOUND;
  const { callee } = node;
  const isCalled = isNode(callee) && nameOf(callee.property) === "json" && childrenOf(node, "arguments").length === 0;
  const isOwn = moduleOf(node).some(
    (name) => name?.startsWith(".") && posix.join(posix.dirname(path), name) === OWN_JSON,
  );
  const reads = isMember(node, "JSON", "parse") || (isCalled && nameOf(callee.object) !== "z") || isOwn;
  return reads ? { rule: "json", what: "reads JSON without readForeign" } : SOUND;
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

/** Returns true for `export { x }` without a declaration. In a file of imports only, `x` is imported. */
function isBareExport(node: Node): boolean {
  return node.type === "ExportNamedDeclaration" && !isNode(node.declaration);
}

/** Returns the module of a path: the first folder below `src`, or the file name for files directly in `src`. */
function moduleIn(path: string): string {
  return path.split("/")[1] ?? "";
}

function isRoot(path: string): boolean {
  return ROOTS.includes(moduleIn(path));
}

function isPure(path: string): boolean {
  return PURE_FOLDERS.some((folder) => path.startsWith(folder));
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

/** Returns the name of an identifier that is used as a value; null for property names, labels and import names. */
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

export function nameOf(value: unknown): string | null {
  return isNode(value) && value.type === "Identifier" && typeof value.name === "string" ? value.name : null;
}

export function textOf(value: unknown): string | null {
  return isNode(value) && value.type === "Literal" && typeof value.value === "string" ? value.value : null;
}

export function childrenOf(node: Node, field: string): Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export function parse(path: string, source: string): { program: Node; errors: readonly { message: string }[] } {
  const { program, errors }: { program: unknown; errors: readonly { message: string }[] } = parseSync(path, source);
  if (!isNode(program)) throw new TypeError(`${path}: the parser gave no program`);
  return { program, errors };
}

export function* walk(node: Node, parent: Node | null = null, field = ""): Generator<Visit> {
  yield { node, parent, field };
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* walk(child, node, name);
    }
  }
}
