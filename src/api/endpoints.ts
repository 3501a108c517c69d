/** The endpoints of `/local/v1`, in the order of the documentation. Each imported file has the rows of one subject. */

import type { LocalRoute } from "../http/route.ts";
import { csvEndpoint } from "./endpoint.ts";
import { routesOf } from "./endpoint-routes.ts";
import { addressEndpoints } from "./house/addresses.ts";
import { awayEndpoints } from "./house/away.ts";
import { calendarEndpoints } from "./house/calendar.ts";
import { formatEndpoints } from "./house/formats.ts";
import type { LocalSource } from "./house/local-source.ts";
import { monthEndpoints } from "./house/month.ts";
import { planEndpoints } from "./house/plans.ts";
import { plugEndpoints } from "./house/plugs.ts";
import { priceEndpoints } from "./house/prices.ts";
import { resultEndpoints } from "./house/results.ts";
import { signalEndpoints } from "./house/signals.ts";
import { logEndpoints } from "./log.ts";
import { checkEndpoints } from "./settings/checks.ts";
import { historyEndpoints } from "./settings/history.ts";
import { keyEndpoints } from "./settings/keys.ts";
import { notifyEndpoints } from "./settings/notify.ts";
import { setAsideEndpoints } from "./settings/set-aside.ts";
import { settingEndpoints } from "./settings/settings.ts";

export const endpoints = [
  ...priceEndpoints,
  ...planEndpoints,
  ...awayEndpoints,
  ...plugEndpoints,
  ...settingEndpoints,
  ...historyEndpoints,
  ...monthEndpoints,
  ...notifyEndpoints,
  ...resultEndpoints,
  ...keyEndpoints,
  ...logEndpoints,
  ...addressEndpoints,
  ...checkEndpoints,
  ...setAsideEndpoints,
  ...signalEndpoints,
  ...formatEndpoints,
  ...calendarEndpoints,
];

export function localRoutes(source: LocalSource): readonly LocalRoute[] {
  const all = endpoints.flatMap((row) => [row, csvEndpoint(row) ?? []].flat());
  return routesOf(all, source);
}
