/** The calls that a client can make, by route, for the page's requests. Types only. */

import type { dashboardEndpoints } from "./dashboard-routes.ts";
import type { endpoints } from "./endpoints.ts";
import type { monitoringEndpoints } from "./monitoring/monitoring-routes.ts";
import type { documentEndpoints } from "./openapi/openapi-routes.ts";
import type { ValuesOf } from "./parameters.ts";
import type { backupEndpoints } from "./settings/backup.ts";
import type { setupEndpoints } from "./setup/setup-routes.ts";

type Rows = (
  | typeof endpoints
  | typeof backupEndpoints
  | typeof dashboardEndpoints
  | typeof documentEndpoints
  | typeof monitoringEndpoints
  | typeof setupEndpoints
)[number];
type Call = NonNullable<Rows["call"]>;
type Calls = { readonly [Each in Call as Each["route"]]: Each };

export type RouteName = keyof Calls;
/** Answer with status 200 or 201. */
export type AnswerOf<Asked extends RouteName> = Calls[Asked]["answer"];

type Values<Asked extends RouteName> = ValuesOf<Calls[Asked]["rows"]>;
type OptionalIn<Given> = { [Name in keyof Given]: null extends Given[Name] ? Name : never }[keyof Given];
/** Parameters of the path and of the query, as text. */
export type RouteParamsOf<Asked extends RouteName> = {
  readonly [Name in Exclude<keyof Values<Asked>, OptionalIn<Values<Asked>>>]: string | number;
} & {
  readonly [Name in OptionalIn<Values<Asked>>]?: string | number;
};
