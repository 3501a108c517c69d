/** Names of the published parts that are not homes. No home has such a name, because slugs contain no slash. */
export const PLACES = "/places";
export const PLUGS = "/plugs";
export const DAEMON = "/daemon";
export const PLANS = "/plans/";

/** Returns the name of the part for a circle of plans. */
export function partOfPlans(circle: string): string {
  return PLANS + circle;
}
