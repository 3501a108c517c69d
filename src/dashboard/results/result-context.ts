/** Context of the result blocks: texts, and a hook that reads data. */
import { useEffect, useState } from "preact/hooks";
import type { AnswerOf, RouteName, RouteParamsOf } from "../../api/calls.ts";
import { requiredContext } from "../context.ts";
import { call, refusalIn } from "../store/requests.ts";
import type { Translate } from "../words/language.ts";

export const [ResultContext, useResultTexts] = requiredContext<Translate<"results">>("results");

/**
 * Returns the last response of a call; null before the first one and after a refusal. Calls again if the parameters or
 * `version` change. Earlier data stays until then.
 */
export function useRead<Asked extends RouteName>(route: Asked, params: RouteParamsOf<Asked>, version: string | number) {
  const [answer, setAnswer] = useState<{ readonly body: AnswerOf<Asked> } | null>(null);
  useEffect(() => {
    let isWanted = true;
    call<Asked>(route, params).then(
      (body) => isWanted && setAnswer({ body }),
      (thrown: unknown) => isWanted && refusalIn(thrown) && setAnswer(null),
    );
    return () => {
      isWanted = false;
    };
  }, [JSON.stringify(params), version]);
  return answer?.body ?? null;
}
