/** Endpoint that puts back what a start after two abnormal ends has set aside. */
import { joined } from "../../config/reading/mistake.ts";
import { message } from "../../core/language/text.ts";
import type { ProblemFound } from "../../core/status/problem.ts";
import { localError } from "../../http/errors.ts";
import { releaseUpload } from "../../storage/recovery/recovery.ts";
import type { Aside } from "../../storage/recovery/start-record.ts";
import { endpoint } from "../endpoint.ts";
import { boolean, described, namedObject } from "../schema.ts";
import { callerOf, refusedEdit } from "./configuration.ts";

export const setAsideEndpoints = [
  endpoint("POST /local/v1/set-aside/release", "releaseSetAside", "admin", {
    summary:
      "Puts back what elbro set aside because it ended abnormally twice within ten minutes of its start: the last change of `page.yaml`, an uploaded copy, and long retained messages of other programs. Then elbro starts again.",
    about: "All of it is in its place again.",
    answer: () => namedObject("Released", { restart: described(boolean, "Whether elbro starts again now.") }),
    errors: ["invalid_parameter", "resource_not_found", "conflict", "precondition_failed", "not_saved"],
    async run({ starts, history, storage: { databasePath } }, _params, request) {
      const aside = starts?.record.aside ?? null;
      if (!starts || aside === null) return localError("conflict", message("refused.nothing_set_aside"));
      // First, so that a daemon that ends because of it sets it aside again.
      starts.record.released();
      if (aside.upload !== null) releaseUpload(aside.upload, databasePath);
      const edited = aside.page === null ? null : await history.restore(aside.page, callerOf(request));
      // elbro starts again after it has sent the response, or at once if the page is gone.
      const end = request.signal();
      if (end.aborted) starts.again();
      else end.addEventListener("abort", starts.again, { once: true });
      return edited?.kind === "refused" ? refusedEdit(edited) : { kind: "json", body: { restart: true } };
    },
  }),
];

/** Describes what is set aside until the owner puts it back. */
export function asideProblem({ at, page, upload }: Aside): ProblemFound {
  const changes = page === null ? [] : [message("found.aside_page")];
  const copies = upload === null ? [] : [message("found.aside_upload")];
  const detail = joined([...changes, ...copies, message("found.aside_messages")]);
  return { code: "set_aside", subject: "start", since: at, detail };
}
