/** Hook that reads what only one part of the page shows. */
import { useEffect, useState } from "preact/hooks";
import type { AnswerOf, RouteName, RouteParamsOf } from "../../api/calls.ts";
import { changeCount } from "../history/changes.ts";
import { readOrLast, refusalIn } from "./requests.ts";

/**
 * Returns the last response of a GET; null before the first one, and without `params`. Reads again if `params` or
 * `version` change, and after each change of the configuration. Earlier data stays until then, and after a refusal.
 */
export function useRead<Asked extends RouteName & `GET ${string}`>(
  route: Asked,
  params: RouteParamsOf<Asked> | null,
  version: string | number = "",
): AnswerOf<Asked> | null {
  const [answer, setAnswer] = useState<{ readonly body: AnswerOf<Asked> } | null>(null);
  useEffect(() => {
    let isWanted = params !== null;
    if (params)
      readOrLast<Asked>(route, params).then(
        (body) => isWanted && setAnswer({ body }),
        (thrown: unknown) => void refusalIn(thrown),
      );
    return () => {
      isWanted = false;
    };
  }, [JSON.stringify(params), version, changeCount.value]);
  return params && (answer?.body ?? null);
}
