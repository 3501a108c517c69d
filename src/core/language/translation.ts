import type { ProblemCode } from "../status/problem-catalog.ts";
import type { da } from "./da.ts";
import type { en } from "./en.ts";

/**
 * English name of an entity, as in the tables of entities. The keys of the Danish names define the names to translate.
 */
export type EntityName = keyof (typeof da)["names"];

/** All texts of one language. A missing text is a compile error. */
export interface Translation {
  readonly texts: Readonly<Record<keyof typeof en, string>>;
  /** Remedy per problem; the English texts are in the problem catalogue. */
  readonly advice: Readonly<Record<ProblemCode, string>>;
  readonly names: Readonly<Record<EntityName, string>>;
}
