/** Catalogue of problems for the documentation. `advice` in `src/i18n` has what owners see. */
import catalog from "./problem-catalog.json" with { type: "json" };

/** Row of a code. `automaticAction`: what the daemon does while the problem lasts; `remedy`: what the owner can do. */
export type ProblemRow = Readonly<Record<"meaning" | "automaticAction" | "remedy", string>>;

/** Problems with the service or the connection to it. The code of one that affects a whole account is its state. */
export const { service: serviceProblems } = catalog;

/** All problems, the most important first: lists of current problems have the same order. */
export const problemCatalog = { ...catalog.service, ...catalog.other };

export type ServiceProblemCode = keyof typeof serviceProblems;
export type ProblemCode = keyof typeof problemCatalog;
