/** Schemas of the session of a browser. */

import { capabilities, resolutions } from "../service/contract/resources.ts";
import { reference } from "./openapi/operation.ts";
import * as s from "./schema.ts";

/** Form of a key. Any other text is rejected without a check. */
export const SESSION_KEY_PATTERN = /^\S{1,512}$/;

const houseHome = () =>
  s.object({
    ...{ id: s.text, name: s.text, address_id: s.orNull(s.text) },
    resolution: s.orNull(s.named("Resolution", s.oneOf(resolutions))),
    // The schema of the contract has this name, too.
    capabilities: s.orNull(s.noted(capabilities, reference("schemas", "Capabilities"))),
  });
const house = () => s.object({ version: s.text, time_zone: s.text, homes: s.list(s.named("HouseHome", houseHome())) });

export const session = () =>
  s.named(
    "Session",
    s.object({
      ...{ mode: s.oneOf(["open", "key"]), signed_in: s.boolean, key: s.orNull(s.text), control: s.boolean },
      admin: s.described(s.boolean, "Whether connections can be changed."),
      can_save: s.described(s.boolean, "Whether plans and plugs can be saved; not in the demo."),
      can_set_up: s.described(s.boolean, "Whether `/local/v1/setup` can replace the demo by your own home."),
      can_log_out: s.boolean,
      house: s.optional(s.described(s.named("House", house()), "Only if the caller may read.")),
      now: s.instant,
    }),
  );

export const login = () =>
  s.named("Login", s.object({ key: s.noted(s.text, { pattern: SESSION_KEY_PATTERN.source }) }));
export const loggedIn = () => s.named("LoggedIn", s.object({ signed_in: s.boolean, key: s.text, control: s.boolean }));
export const loggedOut = () => s.named("LoggedOut", s.object({ signed_in: s.boolean }));
