/** Cards of problems with advice. */

import { usePage } from "../page.ts";
import type { ProblemAnswer } from "../store/answers.ts";
import { ProblemActions } from "./problem-actions.tsx";
import { sentence } from "./problem-groups.ts";

/** The first problem, and a fold with the others. */
export function ProblemCards({ problems: [first, ...others] }: { readonly problems: readonly ProblemAnswer[] }) {
  const { t } = usePage();
  if (!first) return null;
  return (
    <div class="problems">
      <ProblemCard problem={first} />
      {others.length > 0 && (
        <details>
          <summary>{t("problems_several", { count: others.length })}</summary>
          <div class="more-problems">
            {others.map((problem) => (
              <ProblemCard key={`${problem.code} ${problem.subject}`} problem={problem} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

function ProblemCard({ problem }: { readonly problem: ProblemAnswer }) {
  const { t } = usePage();
  const { home, advice, detail } = problem;
  return (
    <div class="problem">
      <p class="problem-what">
        <span aria-hidden="true">⚠ </span>
        {sentence(advice)}
      </p>
      {home && <p class="faint">{home}</p>}
      {detail && (
        <p class="faint">
          {`${t("technical_detail")}: `}
          {detail}
        </p>
      )}
      <ProblemActions problem={problem} />
    </div>
  );
}
