/** The endpoints of `/local/v1`, in the order of the documentation. Each imported file has the rows of one subject. */

import type { LocalRoute } from "../http/route.ts";
import { addressEndpoints } from "./addresses.ts";
import { awayEndpoints } from "./away.ts";
import { calendarEndpoints } from "./calendar.ts";
import { checkEndpoints } from "./checks.ts";
import { csvEndpoint } from "./endpoint.ts";
import { formatEndpoints } from "./formats.ts";
import { historyEndpoints } from "./history.ts";
import { keyEndpoints } from "./keys.ts";
import type { LocalSource } from "./local-source.ts";
import { logEndpoints } from "./log.ts";
import { monthEndpoints } from "./month.ts";
import { notifyEndpoints } from "./notify.ts";
import { routesOf } from "./openapi/operation.ts";
import { planEndpoints } from "./plans.ts";
import { plugEndpoints } from "./plugs.ts";
import { priceEndpoints } from "./prices.ts";
import { resultEndpoints } from "./results.ts";
import { setAsideEndpoints } from "./set-aside.ts";
import { settingEndpoints } from "./settings.ts";
import { signalEndpoints } from "./signals.ts";

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
