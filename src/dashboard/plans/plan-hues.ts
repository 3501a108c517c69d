/** Number of colours of plans, which are `--plan-1` and so on. */
export const HUES = 6;

/** Returns the name of a plan's colour, such as `plan-1`, which follows from its place in the list of plans. */
export function hueOf(id: string, plans: readonly { readonly id: string }[] | null): string {
  const place = (plans ?? []).findIndex((plan) => plan.id === id);
  return `plan-${((place + HUES) % HUES) + 1}`;
}

/** Returns the style with the colour of a plan as `--plan`. */
export function hueStyle(...plan: Parameters<typeof hueOf>) {
  return { "--plan": `var(--${hueOf(...plan)})` };
}
