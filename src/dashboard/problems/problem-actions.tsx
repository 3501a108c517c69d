/** What can be done about a problem: a link to where it is fixed, a test, and a link into the help. */
import { useState } from "preact/hooks";
import { Answer, Button, Help } from "../elements.tsx";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import type { ProblemAnswer } from "../store/answers.ts";
import { call, refusalIn } from "../store/requests.ts";
import { problemHelpUrl } from "../words/help.ts";
import { remedyOf } from "./remedy.ts";

export function ProblemActions({ problem }: { readonly problem: ProblemAnswer }) {
  const { t, store } = usePage();
  const [answer, setAnswer] = useState("");
  const { address, text, trial } = remedyOf(problem);
  const isTest = problem.code !== "set_aside";
  const test = async () => {
    if (!trial) return;
    setAnswer(t("sending"));
    try {
      const answer = await call(trial.route, trial.params, { body: trial.body });
      // A plug that is tested has obeyed, or the call is refused.
      const failure = "works" in answer && !answer.works ? (answer.detail ?? "") : null;
      setAnswer(
        failure === null ? t(isTest ? "problem_works" : "problem_put_back_done") : t("problem_fails", { why: failure }),
      );
    } catch (thrown) {
      setAnswer(refusalText(refusalIn(thrown), t));
    }
  };
  return (
    <>
      <p class="problem-links">
        <a class="button" href={address}>
          {t(text)}
        </a>
        {trial && store.session.value?.[trial.scope] && (
          <Button onClick={() => void test()} text={t(isTest ? "problem_test" : "problem_put_back")} />
        )}
        <Help href={problemHelpUrl(problem.code)} />
      </p>
      <Answer text={answer} />
    </>
  );
}
