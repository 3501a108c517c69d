/**
 * Simulates power cuts: makes possible states of the disk from the daemon's recorded system calls, and opens them. The
 * request log must have every request sent before the cut. Every row that a device received with a 200 must be stored.
 * Keys must be as the commands reported, and no price may be wrong.
 */
import { Disk } from "./disk.ts";
import { type Found, inspected } from "./inspect.ts";
import { type Answer, KEPT_KEY, type Life, REVOKED_KEY } from "./life.ts";
import type { PartOptions, Report } from "./part.ts";

/** Requests, responses and finished commands that other programs have seen at some point of a recording. */
class Known {
  /** Number of requests sent to the service. */
  sent = 0;
  readonly owed: Answer[] = [];
  readonly ended = new Set<string>();
  readonly #answers: ReadonlyMap<string, Answer>;

  constructor(life: Life) {
    this.#answers = new Map(life.answers.map((answer) => [answer.requestId, answer]));
  }

  hear(text: string): void {
    if (/^GET \//.test(text)) this.sent++;
    const answer = this.#answers.get(/^HTTP\/1\.1 200 .*?x-request-id: (\S+)/is.exec(text.slice(0, 4_000))?.[1] ?? "");
    if (answer) this.owed.push(answer);
    if (text.startsWith("end of ")) this.ended.add(text.slice("end of ".length));
  }
}

/** Opens about `wanted` states. Returns their number. */
export function crashStates(life: Life, wanted: number, { random }: PartOptions, report: Report): number {
  const disk = new Disk();
  const known = new Known(life);
  const writes = life.deeds.filter(({ kind }) => kind === "disk").length;
  let states = 0;
  for (const [i, deed] of life.deeds.entries()) {
    if (deed.kind === "said") {
      known.hear(deed.text);
      continue;
    }
    deed.to(disk);
    for (let left = wanted / writes; random.next() < left; left--) {
      states++;
      const files = disk.afterPowerCut(random);
      const say = (fact: "lost" | "stuck", why: string) => report.broken(fact, `power cut after deed ${i}: ${why}`);
      try {
        inspected(files, life, (found) => look(found, known, life, (why) => say("lost", why)));
      } catch (error) {
        say("stuck", String(error));
      }
    }
  }
  if (known.sent === 0 || known.owed.length === 0)
    report.broken("stuck", `the recording tells of ${known.sent} requests and ${known.owed.length} answers`);
  return states;
}

function look(found: Found, known: Known, life: Life, say: (why: string) => void): void {
  const { recovery, damages, attempts, wrong, keys } = found;
  if (recovery && !(known.sent === 0 && recovery.damage === "the file is empty")) say(`set aside: ${recovery.damage}`);
  if (damages.length > 0) say(`damaged: ${damages[0]}`);
  if (attempts < known.sent) say(`${attempts} attempts of ${known.sent} requests`);
  if (wrong.length > 0) say(`wrong prices: ${wrong[0]}`);
  for (const { from, to, rows } of known.owed)
    if (JSON.stringify(found.rows(life.addressId, from, to)) !== JSON.stringify(rows))
      say(`rows of ${new Date(from).toISOString()}, which a device was given`);
  if (keys === null) say("the keys cannot be read");
  if (known.ended.has(`create ${KEPT_KEY}`) && !keys?.includes(KEPT_KEY)) say("a key that was made is not there");
  if (known.ended.has(`revoke ${REVOKED_KEY}`) && keys?.includes(REVOKED_KEY)) say("a revoked key is there again");
}
