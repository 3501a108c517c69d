/** Payloads that the owner of a custom plug names, and the regular expressions of earlier versions. */
import type { CustomTopics, Payloads } from "./plug-family.ts";

/** A regular expression in the configuration of a plug. */
export interface FoundExpression {
  /** Key below the plug, such as `state.on`. */
  readonly key: string;
  readonly expression: string;
  /** Payloads that it stands for; null if it is more than a choice of payloads, so that elbro cannot read it. */
  readonly payloads: readonly string[] | null;
}

const EXPRESSION = /^\/(.+)\/[dgimsuvy]*$/s;
/** `^(on|true)$`, with the payloads as its group. */
const CHOICE = /^\^\((?:\?:)?([^()]*)\)\$$/;
/** `^on$`, with the payload as its group. */
const WHOLE = /^\^(.*)\$$/s;
/** Text without characters that have a meaning in an expression, unless they are escaped. */
const LITERAL = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\w\s])+$/;

/** Returns whether a value matches one of the payloads. An expression matches what it stands for. */
export function matches(wanted: Payloads, value: string): boolean {
  const found = value.trim().toLowerCase();
  return [wanted]
    .flat()
    .flatMap((each) => payloadsIn(each) ?? each)
    .some((each) => each.toLowerCase() === found);
}

/** Returns the expressions in the topics of a plug. */
export function expressionsIn({
  state,
  availability,
}: Pick<CustomTopics, "state" | "availability">): FoundExpression[] {
  const values = {
    "state.on": state?.on,
    "state.off": state?.off,
    "availability.online": availability?.online,
    "availability.offline": availability?.offline,
  };
  return Object.entries(values).flatMap(([key, value = []]) =>
    [value].flat().flatMap((each) => {
      return EXPRESSION.test(each) ? { key, expression: each, payloads: payloadsIn(each) } : [];
    }),
  );
}

/** Returns the payloads that an expression stands for; null for any other text. */
function payloadsIn(text: string): string[] | null {
  const source = EXPRESSION.exec(text)?.[1] ?? "";
  const choice = CHOICE.exec(source)?.[1]?.split("|");
  const found = choice ?? source.split("|").map((part) => WHOLE.exec(part)?.[1] ?? "");
  return found.every((each) => LITERAL.test(each)) ? found.map((each) => each.replace(/\\(.)/g, "$1")) : null;
}
