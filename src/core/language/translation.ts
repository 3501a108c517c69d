import type { ProblemCode } from "../status/problem-catalog.ts";
import type { da } from "./da.ts";
import type { en } from "./en.ts";

/** The English name of an entity: the tables of entities hold these, Danish is the model of what has to be translated. */
export type EntityName = keyof (typeof da)["names"];

/** Everything that is said in a language. What is missing is a compile error. */
export interface Translation {
  readonly texts: Readonly<Record<keyof typeof en, string>>;
  /** What to do about a problem: the catalogue has the English one. */
  readonly advice: Readonly<Record<ProblemCode, string>>;
  readonly names: Readonly<Record<EntityName, string>>;
}
