/** Creates, changes and deletes plans and plugs in the configuration. */

import { type Caller, type Edited, type EditRefusal, unknownEntry } from "../../config/editing/edit-refusal.ts";
import type { EntryList } from "../../config/entry-list.ts";
import { joined, mistakeAt } from "../../config/reading/mistake.ts";
import { isTree } from "../../config/tree.ts";
import { languageOf } from "../../core/language/language.ts";
import { textIn } from "../../core/language/text.ts";
import { type LocalError, localError, scopeError } from "../../http/errors.ts";
import type { LocalRequest } from "../../http/route.ts";
import { type Answered, type BodyRow, endpoint } from "../endpoint.ts";
import type { LocalSource } from "../house/local-source.ts";
import * as parameter from "../parameters.ts";
import { anyObject, boolean, described, list, namedObject, orNull, text, type ValueOf } from "../schema.ts";
import { withWholeAddresses } from "./whole-address.ts";

const revision = () =>
  described(
    text,
    "Revision of the configuration, also in `ETag`. Send it in `If-Match`, and a change made in between is rejected with 412.",
  );
const entry = () => described(anyObject, "Its keys, as in the configuration; see `/local/v1/configuration/schema`.");
const source = () => described(text, "The file that holds it: `page.yaml` if it was changed here.");

const savedSchema = () =>
  namedObject("SavedEntry", {
    id: text,
    source: orNull(source()),
    fixed: described(orNull(text), "Reason why it cannot be changed here; null if it can."),
    entry: entry(),
    secrets: described(list(text), "Secrets of the entry that are set. They are never shown."),
    revision: revision(),
    overrides: described(boolean, "Whether `page.yaml` replaces an entry of the owner's file."),
  });
export const editedSchema = () =>
  namedObject("EditedEntry", {
    id: text,
    source: source(),
    revision: revision(),
    note: described(orNull(text), "Which secrets were removed, because their server changed; null if none."),
    restart: described(list(text), "Other keys that changed in the file and take effect after a restart."),
    undo: described(text, "Id of the state before the change, for `POST /local/v1/history/{state}`."),
  });

const EDIT_ERRORS = [
  "invalid_parameter",
  "resource_not_found",
  "conflict",
  "precondition_failed",
  "not_saved",
] as const;
export const BODY_ERRORS = ["payload_too_large", "unsupported_media_type"] as const;
/** Facts of an endpoint that changes what the owner can change on the page. */
export const edit = { answer: editedSchema, errors: EDIT_ERRORS } as const;
/** Facts of one whose change is in the body. */
export const editByBody = { answer: editedSchema, errors: [...EDIT_ERRORS, ...BODY_ERRORS] } as const;
const examples = {
  plans: { name: "Dishwasher", home: "home", kind: "window", hours: 2, from: "19:00", ready_by: "06:30" },
  plugs: { name: "Heater plug", family: "shelly_gen2", topic: "shellyplus1-a1b2c3", plan: "water_heater" },
} as const;

export function entryBody(of: EntryList): BodyRow {
  return { schema: entry, isCheckedByRun: true, example: examples[of] };
}

export function entryEndpoints<const List extends EntryList, const One extends "plan" | "plug">(
  of: List,
  one: One,
  example: string,
) {
  const path = `/local/v1/${of}/:${one}` as const;
  const operation = one === "plan" ? "Plan" : "Plug";
  const known = { plan: parameter.plan, plug: parameter.plug };
  const parameters = { [one]: known[one] } as Readonly<Record<One, (typeof known)[One]>>;
  const idOf = (params: Readonly<Record<string, unknown>>) => String(params[one]);
  return [
    endpoint(`GET ${path}/configuration`, `get${operation}Entry`, "read", {
      summary: `The configuration of a ${one}, and whether it can be changed here.`,
      params: parameters,
      answer: savedSchema,
      errors: ["resource_not_found"],
      example: `${example}/configuration`,
      run({ editor }, params) {
        const found = editor.saved(of, idOf(params));
        if (!found) return refusedEdit(unknownEntry(of, idOf(params)));
        return withRevision(found);
      },
    }),
    endpoint(`PUT ${path}`, `save${operation}`, "control", {
      ...editByBody,
      params: parameters,
      summary: `Replaces a ${one} in the configuration; keys that are left out are removed, secrets stay unless they are \`null\`.`,
      example,
      body: entryBody(of),
      run: (local, params, request) => changed(local, of, idOf(params), request),
    }),
    endpoint(`DELETE ${path}`, `delete${operation}`, "control", {
      ...edit,
      params: parameters,
      summary: `Removes a ${one} from the configuration.`,
      example,
      run: (local, params, request) => changed(local, of, idOf(params), request),
    }),
    endpoint(`DELETE ${path}/configuration`, `reset${operation}`, "control", {
      ...edit,
      params: parameters,
      summary: `Removes what \`page.yaml\` says of a ${one}, so that it is again as in the owner's file.`,
      example: `${example}/configuration`,
      async run({ editor }, params, request) {
        return editedAnswer(await editor.reset(of, idOf(params), callerOf(request)), request);
      },
    }),
  ];
}

/** Creates an entry if `id` is null; otherwise changes it, or deletes it if the method is DELETE. */
export async function changed(
  { editor }: LocalSource,
  list: EntryList,
  id: string | null,
  request: LocalRequest,
): Promise<Answered<ValueOf<typeof editedSchema>>> {
  const { method, body } = request;
  const caller = callerOf(request);
  const isPlug = list === "plugs" && isTree(body);
  const whole = isPlug ? await withWholeAddresses(body, "plugs[].", caller.isAdmin) : { values: body };
  if (!("values" in whole)) return refusedEdit(whole);
  return editedAnswer(
    await editor.change({ list, id, entry: whole.values, isDelete: method === "DELETE", caller }),
    request,
    id === null ? 201 : 200,
  );
}

/** Returns the caller of a request, and the revision in `If-Match`; null if it does not ask for one. */
export function callerOf({ headers, caller, isAdmin }: LocalRequest): Caller {
  const known = headers["if-match"]?.replace(/^(W\/)?"(.*)"$/, "$2") ?? null;
  return { revision: known === "*" ? null : known, name: caller, isAdmin: isAdmin() };
}

export function editedAnswer(
  edited: Edited,
  { headers }: Pick<LocalRequest, "headers">,
  status = 200,
): Answered<ValueOf<typeof editedSchema>> {
  if (edited.kind === "refused") return refusedEdit(edited);
  const { id, source, revision, later, lost, undo } = edited;
  const language = languageOf(headers["accept-language"], "en");
  const note = lost.length === 0 ? null : textIn(language, joined(lost.map(mistakeAt)));
  return withRevision({ id, source, revision, note, restart: later, undo }, status);
}

/** Returns a response with the revision of the configuration as its ETag. */
export function withRevision<Body extends { readonly revision: string }>(body: Body, status = 200) {
  return { kind: "json" as const, status, body, headers: { ETag: `"${body.revision}"` } };
}

export function refusedEdit({ code, reason, mistakes }: EditRefusal): LocalError {
  if (code === "forbidden") return scopeError("admin", reason);
  return { ...localError(code, reason), ...(mistakes ? { mistakes } : {}) };
}
