/**
 * Compares the program's output with the files in `test/golden` byte for byte: topics, discovery, OpenAPI document,
 * metrics, and responses to requests. `GOLDEN=update` before the command rewrites the files; a commit's diff then
 * shows the changes for users. The configuration schema has its own file, `config/elbro.schema.json`, which
 * `generated-files.test.ts` compares.
 */
import { isDeepStrictEqual } from "node:util";
import { beforeAll, test } from "vitest";
import { retainedIn } from "../../support/broker/retained.ts";
import { type Answer, answerTo, shownText } from "../../support/golden/golden-answer.ts";
import { GOLDEN_KEYS, type GoldenDemo, startGoldenDemo } from "../../support/golden/golden-demo.ts";
import {
  expectGolden,
  goldenJson,
  IS_UPDATE,
  metricsOutline,
  readable,
  readGolden,
  writeGolden,
} from "../../support/golden/golden-files.ts";
import { normalised } from "../../support/golden/golden-normal.ts";
import { type GoldenRequest, goldenRequests, thirdPartyRequests } from "../../support/golden/golden-requests.ts";

const FILES = ["topics.json", "discovery.json", "openapi.json", "metrics.txt", "requests.json"] as const;

type Name = (typeof FILES)[number];
const taken = new Map<Name, string>();

beforeAll(async () => {
  await using demo = await startGoldenDemo();
  const { topics, discovery } = await settledTopics(demo);
  taken.set("topics.json", topics).set("discovery.json", discovery);
  const ask = async (target: string) =>
    (
      await fetch(`http://127.0.0.1:${demo.apiPort}${target}`, {
        headers: { authorization: `Bearer ${GOLDEN_KEYS.control}` },
      })
    ).text();
  taken.set("openapi.json", goldenJson(readable(await ask("/openapi.json"))));
  taken.set("metrics.txt", metricsOutline(await ask("/metrics")));
  const answers = await answersTo(goldenRequests, demo.apiPort);
  for (const request of thirdPartyRequests) {
    await demo.step();
    answers.push(...(await answersTo([request], demo.apiPort)));
  }
  taken.set("requests.json", goldenJson(answers));
  if (IS_UPDATE) for (const [name, text] of taken) writeGolden(name, text);
});

test.each(FILES)("%s is unchanged", (name) => {
  expectGolden(name, taken.get(name) ?? "", "flow/api/golden");
});

const LOOK_EVERY_MS = 250;
/**
 * Unchanged looks after which no message follows. The demo's clock does not advance, and the daemon, with the service and
 * the broker in it, answers each look, so a slow machine makes the looks slower, too.
 */
const RESTS_AFTER_LOOKS = 10;

/** Returns the retained topics when they equal the golden files or no longer change. */
async function settledTopics({ brokerPort }: GoldenDemo): Promise<{ topics: string; discovery: string }> {
  let last = { topics: "", discovery: "" };
  for (let unchanged = 0; unchanged < RESTS_AFTER_LOOKS; ) {
    const all = Object.entries(await retainedIn(brokerPort)).sort(([a], [b]) => (a < b ? -1 : 1));
    const written = (isDiscovery: boolean) =>
      goldenJson(
        Object.fromEntries(
          all
            .filter(([topic]) => topic.startsWith("homeassistant/") === isDiscovery)
            .map(([topic, payload]) => [topic, readable(payload)]),
        ),
      );
    const found = { topics: written(false), discovery: written(true) };
    const isGolden = found.topics === readGolden("topics.json") && found.discovery === readGolden("discovery.json");
    if (isGolden && !IS_UPDATE) return found;
    unchanged = isDeepStrictEqual(found, last) ? unchanged + 1 : 0;
    last = found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return last;
}

/** Sends all requests. Returns them with their responses. */
async function answersTo(requests: readonly GoldenRequest[], port: number): Promise<object[]> {
  const held = new Map<string, string>();
  const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (all, name: string) => held.get(name) ?? all);
  const send = ({ method, target, headers, body = "", unfinished, events }: GoldenRequest) => {
    const lines = [`${method} ${target} HTTP/1.1`, ...headers].map((line) => `${filled(line)}\r\n`);
    return answerTo(port, Buffer.from(`${lines.join("")}${unfinished ? "" : `\r\n${body}`}`), { method, events });
  };
  // These take as long as the request timeout, and the others are sent during this time.
  const unfinished = new Map(requests.filter((each) => each.unfinished).map((each) => [each, send(each)]));
  const answers: object[] = [];
  for (const request of requests) {
    for (let times = 1; times < (request.times ?? 1); times++) await send(request);
    const answer = await (unfinished.get(request) ?? send(request));
    const whole = [...answer.headers, answer.body].join("\n");
    for (const [name, pattern] of Object.entries(request.holds ?? {})) held.set(name, pattern.exec(whole)?.[1] ?? "");
    answers.push(shown(request, normalised(answer, request)));
  }
  return answers;
}

function shown({ name, method, target, headers, body, times, isElsewhere }: GoldenRequest, answer: Answer): object {
  return {
    name,
    request: [`${method} ${target}`, ...headers].map(shownText),
    ...(body === undefined ? {} : { sends: shownText(body) }),
    ...(times === undefined ? {} : { times }),
    status: answer.status,
    headers: answer.headers,
    ...(isElsewhere ? {} : { body: shownText(answer.body) }),
  };
}
