/**
 * The last answers to the page's GET requests, which are shown without the daemon. A browser that may keep the page keeps
 * them for later visits. Answers to GET requests hold no secrets, and no other answer is kept.
 */
import { signal } from "@preact/signals";
import { ownJson } from "../../core/text/own-json.ts";

/** Name of the browser's cache of the page: its files and these answers. */
export const KEPT = "elbro";
/** Answers that are kept: those of all views, for several periods and homes. */
const MAX_ANSWERS = 60;
/** Time between two writes, which wear the storage of a tablet on the wall. */
const WRITE_MS = 60_000;
/** Below the files of this version of the page, because another one may expect other data. */
const PLACE = new URL("last/", import.meta.url).href;

export interface LastAnswer {
  readonly path: string;
  readonly body: unknown;
  /** Time of the request. Unit: epoch ms of this device. */
  readonly at: number;
}

/** Number of requests without an answer. */
export const failures = signal(0);
/** Age of nothing. */
export const NOTHING = Number.POSITIVE_INFINITY;
/** Time of the oldest last answer that the view shows. Unit: epoch ms of this device. */
export const oldestShown = signal(NOTHING);

const answers = new Map<string, LastAnswer>();
const unwritten = new Set<string>();
let writing: ReturnType<typeof setTimeout> | undefined;
let restored: Promise<void> | null = null;
let forgottenAt = 0;

/** Returns whether the page may be kept: it came by HTTPS or from this machine, and is not inside Home Assistant. */
export function mayKeep(): boolean {
  return globalThis.isSecureContext && !location.pathname.includes("/hassio_ingress/");
}

export function keepAnswer(answer: LastAnswer): void {
  if (answer.at < forgottenAt) return;
  put(answer);
  unwritten.add(answer.path);
  if (mayKeep()) writing ??= setTimeout(() => void writeAnswers().catch(() => null), WRITE_MS);
}

/** Writes what is new to the browser's cache. */
export async function writeAnswers(): Promise<void> {
  clearTimeout(writing);
  writing = undefined;
  const cache = await caches.open(KEPT);
  const kept = [...unwritten].flatMap((path) => answers.get(path) ?? []);
  unwritten.clear();
  for (const answer of kept) await cache.put(urlOf(answer), new Response(JSON.stringify(answer)));
}

/** Returns the last answer to exactly this request if it was read at or after `since`; otherwise null. */
export function answerSince(path: string, since: number): LastAnswer | null {
  const answer = answers.get(path);
  return answer && answer.at >= since ? answer : null;
}

/**
 * Returns the last answer to a request. One of another range is taken if it includes the start, for instance that of
 * yesterday for this month until today. Null without any.
 */
export async function lastAnswer(path: string): Promise<LastAnswer | null> {
  restored ??= restore().catch(() => undefined);
  await restored;
  const wanted = rangeOf(path);
  const isLike = (other: LastAnswer) => {
    const { rest, from, to } = rangeOf(other.path);
    return rest === wanted.rest && !(from > wanted.from || to <= wanted.from);
  };
  return answers.get(path) ?? [...answers.values()].findLast(isLike) ?? null;
}

/** Deletes what is kept: after a log-out, and when the key is no longer valid. */
export function forgetLast(): void {
  forgottenAt = Date.now() + 1;
  clearTimeout(writing);
  writing = undefined;
  answers.clear();
  unwritten.clear();
  if (mayKeep()) void caches.delete(KEPT);
}

function put(answer: LastAnswer): void {
  answers.delete(answer.path);
  answers.set(answer.path, answer);
  const [oldest] = answers.values();
  if (answers.size <= MAX_ANSWERS || !oldest) return;
  answers.delete(oldest.path);
  if (mayKeep()) void caches.open(KEPT).then((cache) => cache.delete(urlOf(oldest)));
}

/** Reads the answers of earlier visits. */
async function restore(): Promise<void> {
  if (!mayKeep()) return;
  const cache = await caches.open(KEPT);
  const keys = (await cache.keys()).filter(({ url }) => url.startsWith(PLACE));
  const texts = await Promise.all(keys.map(async (key) => (await cache.match(key))?.text()));
  const found = texts.flatMap((text) => (ownJson(text ?? "") as LastAnswer | undefined) ?? []);
  for (const answer of found.sort((a, b) => a.at - b.at)) if (!answers.has(answer.path)) put(answer);
}

function urlOf({ path }: LastAnswer): string {
  return `${PLACE}${encodeURIComponent(path)}`;
}

/** Returns a path without its range, and the range. A start or end that is missing is NaN. */
function rangeOf(path: string) {
  const [rest = "", query] = path.split("?");
  const { from = "", to = "", ...others } = Object.fromEntries(new URLSearchParams(query));
  return { rest: `${rest}?${new URLSearchParams(others)}`, from: Date.parse(from), to: Date.parse(to) };
}
