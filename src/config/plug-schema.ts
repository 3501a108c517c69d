/** The list of plugs: which there are, how to reach them, and what each follows. */
import * as z from "zod/mini";
import { expressionIn } from "../core/plugs/families/custom.ts";
import { type PlugFamily, plugFamilies } from "../core/plugs/families/families.ts";
import type { PlugFamilyRow } from "../core/plugs/families/plug-family.ts";
import { slugOf } from "../core/text/slug.ts";
import { key } from "./key-description.ts";
import { slug, text, topic } from "./values.ts";

const families = Object.keys(plugFamilies) as [PlugFamily, ...PlugFamily[]];
const minutes = z._default(z.number().check(z.minimum(0), z.maximum(24 * 60)), 0);
const said = z.optional(z.strictObject({ topic, payload: z.string() }));

/** A payload to compare with, or a regular expression between slashes. */
const pattern = text.check(
  z.refine((value) => isSound(expressionIn(value)), "expected a payload, or a regular expression between slashes"),
);

const plug = z
  .strictObject({
    id: key(z.optional(slug), "What it is called in topics, where not its name."),
    name: key(text, "What it is called."),
    family: key(z.enum(families), "What it understands."),
    topic: key(z.optional(topic), "Where it listens, as its family says it."),
    channel: key(z.optional(z.union([z.int(), text])), "Which output, for devices with several.", {
      form: "number or text",
    }),
    plan: key(z.optional(slug), "The plan it follows."),
    home: key(z.optional(slug), "The home or third-party place whose signal it follows, by its id."),
    signal: key(z.optional(z.enum(["cheap"])), "The signal it follows, with home."),
    signal_topic: key(z.optional(topic), "A topic of yours that says ON or OFF."),
    override: key(
      z._default(z.enum(["respect", "enforce"]), "respect"),
      "What happens when somebody switches it by hand: respect until the next planned change, or enforce the plan.",
    ),
    min_on: key(minutes, "The shortest time on.", { form: "minutes" }),
    min_off: key(minutes, "The shortest time off.", { form: "minutes" }),
    on: key(said, "For custom: what switches it on."),
    off: key(said, "For custom: what switches it off."),
    dead_man: key(said, "For custom: what makes it switch off by itself; {seconds} is the time."),
    ask: key(said, "For custom: what makes it tell its state."),
    state: key(
      z.optional(z.strictObject({ topic, on: pattern, off: pattern })),
      "For custom: where it tells its state.",
    ),
    availability: key(
      z.optional(z.strictObject({ topic, online: pattern, offline: pattern })),
      "For custom: where it tells whether it is there.",
    ),
  })
  .check(({ value, issues }) => {
    for (const [key, message] of mistakesIn(value))
      issues.push({ code: "custom", continue: true, message, path: [key], input: value });
  });

type Plug = z.infer<typeof plug>;
export type PlugConfig = Plug;
type Mistake = readonly [key: keyof Plug & string, message: string];

const CUSTOM_KEYS = ["on", "off", "dead_man", "ask", "state", "availability"] as const;

function mistakesIn(given: Plug): Mistake[] {
  return [...followMistakes(given), ...(given.family === "custom" ? customMistakes(given) : familyMistakes(given))];
}

function followMistakes({ plan, home, signal, signal_topic }: Plug): Mistake[] {
  const followed = [plan, signal, signal_topic].filter((each) => each !== undefined).length;
  if (followed !== 1)
    return [["plan", `expected one of plan, signal with home, or signal_topic, found ${followed || "none"}`]];
  if (signal !== undefined && home === undefined)
    return [["home", "expected the id of a home with signal, found nothing"]];
  if (signal_topic !== undefined && home !== undefined) return [["home", "is of no use with signal_topic"]];
  return [];
}

function customMistakes(given: Plug): Mistake[] {
  return (["on", "off"] as const).flatMap((key) =>
    given[key] ? [] : [[key, "expected a topic and a payload for a plug of the family custom, found nothing"] as const],
  );
}

function familyMistakes(given: Plug): Mistake[] {
  const { topic: about, channel }: PlugFamilyRow = plugFamilies[given.family];
  const mistakes: Mistake[] = CUSTOM_KEYS.flatMap((key) =>
    given[key] === undefined ? [] : [[key, `is for the family custom only, found family ${given.family}`] as const],
  );
  if (given.topic === undefined) mistakes.push(["topic", `expected ${about}; found nothing`]);
  if (given.channel === undefined && channel.ordinary === null)
    mistakes.push(["channel", `expected ${channel.about}; found nothing`]);
  if (given.channel !== undefined && !channel.fits.test(String(given.channel)))
    mistakes.push(["channel", `expected ${channel.about}; found ${JSON.stringify(given.channel)}`]);
  return mistakes;
}

/** The id of a plug: the one it is given, or its name's. */
export function plugId({ id, name }: Pick<Plug, "id" | "name">): string {
  return id ?? slugOf(name);
}

/** Two plugs of one id would share their topics; two of one device would switch against each other. */
export const plugs = z.array(plug).check(({ value, issues }) => {
  const refuse = (i: number, key: string, message: string) =>
    issues.push({ code: "custom", continue: true, message, path: [i, key], input: value });
  const ids = new Map<string, number>();
  const devices = new Map<string, number>();
  for (const [i, each] of value.entries()) {
    const sameId = firstOf(ids, plugId(each), i);
    if (sameId !== null) refuse(i, "id", `is the same as that of [${sameId}]: ${plugId(each)}; give each its own`);
    if (each.family === "custom" || each.topic === undefined) continue;
    const channel = each.channel ?? plugFamilies[each.family].channel.ordinary;
    const same = firstOf(devices, `${each.family} ${each.topic} ${channel}`, i);
    if (same !== null) refuse(i, "topic", `is the same plug as [${same}]; the two would switch against each other`);
  }
});

/** The index under which a name was seen first; null if this is the first time. */
function firstOf(seen: Map<string, number>, name: string, index: number): number | null {
  const first = seen.get(name);
  if (first === undefined) seen.set(name, index);
  return first ?? null;
}

function isSound(expression: string | null): boolean {
  if (expression === null) return true;
  try {
    return new RegExp(expression, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
