/** Reads the text of a file and the environment. Returns a configuration, or every mistake in them. */
import type * as z from "zod/mini";
import { type Fact, type Message, message, type Text } from "../../core/language/text.ts";
import { errorPlace, StartError, throwIfShort } from "../../core/status/start-error.ts";
import { slugOf } from "../../core/text/slug.ts";
import { inOverlay, type Laid, lay, placeIn } from "../overlay/lay.ts";
import { EMPTY_OVERLAY, readOverlay } from "../overlay/overlay-file.ts";
import { triedPlans } from "../plan-trials.ts";
import { withoutOldKeys } from "../schema/old-keys.ts";
import { type AccountEntry, accountSchema, type Config, configSchema } from "../schema/schema.ts";
import { defaultOf, FILE_SUFFIX, itemOf, kindOf, shapeOf, wordsOf } from "../schema/schema-nodes.ts";
import { expecting } from "../schema/values.ts";
import { holdsSecret } from "../secrets.ts";
import { isTree, type Tree } from "../tree.ts";
import { whyUnread } from "./bounded-file.ts";
import { describeIssue } from "./config-error.ts";
import { overlayUnread } from "./config-texts.ts";
import { applyEnvironment, applySecrets, applyShard } from "./environment.ts";
import { type ConfigMistake, isSecretKey, pathText } from "./mistake.ts";
import { readYaml, treeIn, type YamlReading } from "./yaml-text.ts";

export type ConfigReading<Value = Config> =
  | {
      readonly kind: "config";
      readonly config: Value;
      /** Whether the text itself contains a secret. */
      readonly holdsSecrets: boolean;
      /** Files of secrets that the configuration names. */
      readonly secretFiles: readonly string[];
      /** Files of the certificates of elbro's own servers. */
      readonly tlsFiles: readonly string[];
      /** Warnings about keys of earlier versions. */
      readonly deleted: readonly string[];
      readonly overlay: OverlayUse;
    }
  | { readonly kind: "mistakes"; readonly mistakes: readonly ConfigMistake[] };

/** What became of page.yaml, by paths in it. */
export interface OverlayUse extends Pick<Laid, "overridden" | "unused" | "gone" | "servers" | "lost"> {
  /** Mistakes in it. Their keys and entries are not used. */
  readonly mistakes: readonly ConfigMistake[];
}

const NO_OVERLAY: OverlayUse = { overridden: [], unused: [], gone: [], servers: {}, mistakes: [], lost: [] };

/** What became of page.yaml in one reading, and why it cannot be read. */
type LaidOverlay = Omit<Laid, "tree"> & { readonly mistake: ConfigMistake | null };

export interface ConfigSources {
  /** The text of the file; null if it does not exist. */
  readonly text: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the file of a `…_file` key or a `…_FILE` variable. Throws if it cannot be read. */
  readonly readFile: (path: string) => string;
  /**
   * Files of secrets that are provided for this program, such as /run/secrets/elbro_consumer_api_key.
   * A file that is named like a variable sets its key, if nothing else does.
   */
  readonly secrets?: readonly string[];
  /** Returns the text of the page's file in a data directory; null if it is missing. Throws if it is unreadable. */
  readonly overlay?: (dataDir: string) => string | null;
  /** The number at its end is the default index of the shard. */
  readonly hostname?: string;
}

/** A configuration that is being read, and its mistakes so far. */
interface Draft {
  readonly tree: Tree;
  readonly mistakes: ConfigMistake[];
  /** Environment variables by path of the key that they set. */
  readonly variables: Map<string, string>;
  readonly readFile: ConfigSources["readFile"];
  readonly files: KeyFile[];
}

/** A file that sets a key. */
interface KeyFile {
  readonly file: string;
  /** Path and name of the key. */
  readonly path: string;
  readonly name: string;
  /** No message shows a part of it. Null if the file cannot be read; the key is not reported as missing as well. */
  readonly content: string | null;
}

/**
 * Reads the configuration. The environment overrides page.yaml, which overrides the owner's file. What is wrong in
 * page.yaml is left out, so that it never prevents the use of the owner's file.
 */
export function readConfig(original: ConfigSources): ConfigReading {
  const { readFile, overlay } = original;
  // A mistake in page.yaml takes another attempt, but no file is read twice.
  const sources = {
    ...original,
    parse: once(readYaml),
    readFile: once(readFile),
    ...(overlay && { overlay: once(overlay) }),
  };
  const without = new Set<string>();
  const mistakes: ConfigMistake[] = [];
  let servers: Laid["servers"] | null = null;
  for (;;) {
    const { reading, laid } = readOnce(sources, without);
    if (laid.mistake && mistakes.length === 0) mistakes.push(laid.mistake);
    servers ??= laid.servers;
    if (reading.kind === "config") return { ...reading, overlay: { ...laid, servers, mistakes } };
    const inIt = reading.mistakes.filter(({ path }) => placeIn(laid.places, path) !== null);
    // Without a mistake of its own, page.yaml as a whole may not fit the owner's file.
    const left = inIt.length > 0 ? inIt.map(({ path }) => placeIn(laid.places, path) ?? "") : laid.used;
    if (left.length === 0) return reading;
    for (const place of left) without.add(place);
    // What is missing after a mistake was left out is no mistake of its own.
    const found = inIt.length > 0 ? inIt : mistakes.length > 0 ? [] : reading.mistakes;
    const ofLost = (mistake: ConfigMistake) => {
      const lost = laid.lost.find(({ path }) => path === mistake.path);
      return lost ?? mistake;
    };
    mistakes.push(...found.map(ofLost).map((mistake) => inOverlay(mistake, laid.places)));
  }
}

/** Returns a function that reads each source only once. */
function once<Value>(read: (source: string) => Value): (source: string) => Value {
  const known = new Map<string, Value>();
  return (source) => {
    if (!known.has(source)) known.set(source, read(source));
    return known.get(source) as Value;
  };
}

/** Reads the configuration with page.yaml, except the paths `without` of it. */
function readOnce(sources: Parsed<ConfigSources>, without: ReadonlySet<string>) {
  const { text, environment, parse, readFile, secrets = [], hostname, overlay } = sources;
  let laid: LaidOverlay = { ...NO_OVERLAY, used: [], places: new Map(), mistake: null };
  const apply = (draft: Draft) => {
    applyEnvironment(draft, environment);
    applySecrets(draft, secrets);
    applyShard(draft.tree, hostname);
  };
  const over = ({ tree, variables, files }: Draft) => {
    const { overlay: read, mistake } = overlayFor(tree, overlay);
    const inFiles = new Set(files.map(({ path }) => path));
    const isOutside = (path: string) => variables.has(path) || inFiles.has(path);
    const { tree: whole, ...rest } = lay(tree, read, { isOutside, without });
    laid = { ...rest, mistake };
    return whole;
  };
  const reading = readInForm({ text, schema: configSchema, parse, readFile, secrets, apply, over });
  return { reading, laid };
}

function overlayFor(owner: Tree, read: ConfigSources["overlay"]): ReturnType<typeof readOverlay> {
  try {
    const dataDir = String(owner.data_dir ?? defaultOf(shapeOf(configSchema)?.data_dir));
    return readOverlay(read?.(dataDir) ?? null, owner);
  } catch (error) {
    return { overlay: EMPTY_OVERLAY, mistake: overlayUnread(error) };
  }
}

/** Reads a file of `accounts_dir`. */
export function readAccount(text: string, readFile: ConfigSources["readFile"]): ConfigReading<AccountEntry> {
  return readInForm({ text, schema: accountSchema, parse: readYaml, readFile });
}

type ConfigSchema = z.core.$ZodType & Pick<z.ZodMiniType, "safeParse">;

/** Sources of which the text is parsed by a function that may know it already. */
type Parsed<Sources> = Sources & { readonly parse: (text: string) => YamlReading };

interface Form<Schema> extends Parsed<Pick<ConfigSources, "text" | "readFile" | "secrets">> {
  readonly schema: Schema;
  /** Sets keys in place of those of the text. */
  readonly apply?: (draft: Draft) => void;
  /** Returns the tree with what cannot name a file. */
  readonly over?: (draft: Draft) => Tree;
}

/** Reads a text. An unexpected error is a mistake as well, so that no text ends a running daemon. */
function readInForm<Schema extends ConfigSchema>(form: Form<Schema>): ConfigReading<z.output<Schema>> {
  try {
    return readWhole(form);
  } catch (error) {
    if (error instanceof StartError) throw error;
    return {
      kind: "mistakes",
      mistakes: [{ path: "the file", ...message("mistake.internal", { where: errorPlace(error) }) }],
    };
  }
}

function readWhole<Schema extends ConfigSchema>({
  text,
  schema,
  parse,
  readFile,
  secrets = [],
  apply,
  over,
}: Form<Schema>): ConfigReading<z.output<Schema>> {
  const mistakes: ConfigMistake[] = [];
  const file = text === null ? null : parse(text);
  const tree = file === null ? {} : readTree(file, mistakes);
  if (!tree) return { kind: "mistakes", mistakes };
  const holdsSecrets = holdsSecret(tree);
  const draft: Draft = { tree, mistakes, variables: new Map(), readFile, files: [] };
  const { files } = draft;
  apply?.(draft);
  resolve(draft, tree, schema, []);
  const whole = over?.(draft) ?? tree;
  const deleted = withoutOldKeys(whole);
  resolve(null, whole, schema, []);
  const result = schema.safeParse(whole);
  const issues = result.success
    ? triedPlans(result.data as Config | AccountEntry)
    : result.error.issues.flatMap((issue) => describeIssue(issue, whole, schema));
  for (const mistake of issues)
    if (![...mistakes, ...files.filter(({ content }) => content === null)].some(({ path }) => path === mistake.path))
      mistakes.push(withoutContents(mistake, files));
  if (result.success && mistakes.length === 0) {
    const secretFiles = files.filter(({ name, file }) => isSecretKey(name) && !secrets.includes(file));
    return {
      kind: "config",
      config: result.data as z.output<Schema>,
      holdsSecrets,
      secretFiles: [...new Set(secretFiles.map(({ file }) => file))],
      tlsFiles: files.filter(({ path, name }) => path.endsWith(`tls.${name}`)).map(({ file }) => file),
      deleted,
      overlay: NO_OVERLAY,
    };
  }
  return { kind: "mistakes", mistakes: mistakes.map((mistake) => withPlace(mistake, draft.variables, file)) };
}

/** Returns the keys and values of a file; null if it has none because of a mistake. */
function readTree(reading: YamlReading, mistakes: ConfigMistake[]): Tree | null {
  if (reading.kind === "mistake") {
    mistakes.push({ path: reading.where ?? "the file", ...reading.said });
    return null;
  }
  if (reading.value === null || reading.value === undefined) return {};
  if (isTree(reading.value)) return structuredClone(reading.value);
  mistakes.push({ path: "the file", ...message("mistake.not_keys") });
  return null;
}

/** Replaces `…_file` keys by the texts of their files, unless `draft` is null. Removes empty sections, whose lines are commented out. */
function resolve(
  draft: Draft | null,
  value: unknown,
  node: z.core.$ZodType | undefined,
  path: readonly (string | number)[],
): void {
  if (Array.isArray(value)) {
    const item = itemOf(node);
    for (const [i, each] of value.entries()) {
      value[i] = asWord(each, item);
      resolve(draft, each, item, [...path, i]);
    }
  }
  const shape = shapeOf(node);
  if (!isTree(value) || !shape) return;
  for (const [key, below] of Object.entries(value)) {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const kind = known && kindOf(known);
    value[key] = asWord(below, known);
    if (isAbsent(below, path) && (kind === "section" || kind === "list")) delete value[key];
    else if (known) {
      // The form of the Home Assistant app has no keys below those of an entry, so a section of it is a text there.
      if (kind === "section" && typeof path.at(-1) === "number" && typeof below === "string")
        value[key] = treeIn(below) ?? below;
      resolve(draft, value[key], known, [...path, key]);
      if (kind === "section" && !hasKeys(value[key])) delete value[key];
    } else if (draft && key.endsWith(FILE_SUFFIX)) readInto(draft, value, key, { shape, path });
  }
}

/** Returns on and off of YAML 1.1, with which Home Assistant reads options as true and false, as they were written. */
function asWord(value: unknown, node: z.core.$ZodType | undefined): unknown {
  return typeof value === "boolean" && wordsOf(node).includes("on") ? (value ? "on" : "off") : value;
}

/** Returns whether a section holds more than the empty lists that a form cannot leave out. */
function hasKeys(value: unknown): boolean {
  return !isTree(value) || !Object.values(value).every(isEmptyList);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Returns whether a value is a commented-out section, or a section that a form leaves as an empty list. */
function isAbsent(value: unknown, within: readonly (string | number)[]): boolean {
  return value === null || (within.length === 0 && isEmptyList(value));
}

interface Section {
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
  readonly path: readonly (string | number)[];
}

/** Replaces `api_key_file: /run/secrets/key` by `api_key` with the file's text, without white space at its end. */
function readInto(draft: Draft, tree: Tree, fileKey: string, { shape, path }: Section): void {
  const key = fileKey.slice(0, -FILE_SUFFIX.length);
  const file = tree[fileKey];
  if (!Object.hasOwn(shape, key) || kindOf(shape[key]) !== "text") return;
  delete tree[fileKey];
  const mistake = (said: Message) => {
    draft.mistakes.push({ path: pathText([...path, fileKey]), ...said });
  };
  if (tree[key] !== undefined) mistake(message("mistake.file_too", { key }));
  else if (typeof file !== "string" || file === "") mistake(expecting("mistake.expected_file"));
  else {
    let content: string | null = null;
    try {
      content = draft.readFile(file).trimEnd();
      tree[key] = content;
    } catch (error) {
      throwIfShort(error, message("start.unread", { file: shownFile(file) }));
      mistake(message("mistake.unread", { file: shownFile(file), why: whyUnread(error) }));
    }
    draft.files.push({ file, path: pathText([...path, key]), name: key, content });
  }
}

/** Texts of a file that are shorter occur in messages by chance. */
const MIN_CONTENT = 4;

/** Removes texts of files from a mistake: the file may be another one than its owner meant. */
function withoutContents(mistake: ConfigMistake, files: readonly KeyFile[]): ConfigMistake {
  const parts = files
    .flatMap(({ content }) => (content ? [content, JSON.stringify(content).slice(1, -1), slugOf(content)] : []))
    .filter(({ length }) => length >= MIN_CONTENT);
  const { facts } = mistake;
  const isRead = files.some(({ path, content }) => path === mistake.path && content) && "found" in facts;
  const hidden = isRead && { ...("hint" in facts && { hint: "" }), found: message("mistake.value_in_file") };
  return { ...mistake, facts: without(parts, { ...facts, ...hidden }) };
}

function without(parts: readonly string[], facts: Message["facts"]): Message["facts"] {
  const shown = (fact: Fact): Fact => {
    if (typeof fact === "object") return { ...fact, facts: without(parts, fact.facts) };
    return typeof fact === "string" ? parts.reduce((text, part) => text.replaceAll(part, "…"), fact) : fact;
  };
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, shown(fact)]));
}

/** Returns a file name for a message. A name without a folder may be the secret itself, so it is not shown. */
function shownFile(file: string): Text {
  return /[/\\]/.test(file) ? file : message("mistake.why_hidden_name");
}

/** Adds the environment variable or the line of the file to a mistake. */
function withPlace(
  mistake: ConfigMistake,
  variables: ReadonlyMap<string, string>,
  file: YamlReading | null,
): ConfigMistake {
  for (const [path, variable] of variables) {
    const below = mistake.path.slice(path.length);
    if (mistake.path === path || (mistake.path.startsWith(path) && /^[.[]/.test(below)))
      return { ...mistake, path: `${mistake.path} (${variable})` };
  }
  const line = file?.kind === "value" ? file.lineOf(mistake.path.split(/[.[\]]+/).filter(Boolean)) : null;
  return line === null ? mistake : { ...mistake, line };
}
