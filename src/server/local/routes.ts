/** The operations of `/local/v1`: what the LAN's router has to know of them at the start. The rest is loaded on first use. */
import type { LocalRoute } from "../http/route.ts";

export const localPaths = {
  now: {
    method: "GET",
    path: "/local/v1/now",
    scope: "read",
    summary: "The price now, what it is worth, and what comes next: of one home or place, or of all.",
  },
  prices: {
    method: "GET",
    path: "/local/v1/prices",
    scope: "read",
    summary: "One timeline of prices, confirmed and then estimated, each with its level and rank.",
  },
  plans: {
    method: "GET",
    path: "/local/v1/plans",
    scope: "read",
    summary: "Every plan: whether it is on, why, its runs, its settings.",
  },
  plan: {
    method: "GET",
    path: "/local/v1/plans/:plan",
    scope: "read",
    summary: "One plan, with its last runs and what they saved, run by run and month by month.",
  },
  changePlan: {
    method: "POST",
    path: "/local/v1/plans/:plan",
    scope: "control",
    summary: "Changes settings of a plan, or gives it a command.",
  },
  cheap: {
    method: "GET",
    path: "/local/v1/cheap",
    scope: "read",
    summary: "ON while now is among the cheapest hours of a window; without a configured plan.",
  },
  signal: {
    method: "GET",
    path: "/local/v1/signal/:plan",
    scope: "read",
    summary: "ON while a plan wants its appliance on.",
  },
  format: {
    method: "GET",
    path: "/local/v1/formats/:format",
    scope: "read",
    summary: "Prices in the format of another program.",
  },
} as const satisfies Record<string, Omit<LocalRoute, "handle" | "openApi">>;

export type LocalOperationId = keyof typeof localPaths;

export const localOperationIds = Object.keys(localPaths) as readonly LocalOperationId[];
