/** Cards of problems with advice. */

import { usePage } from "../page.ts";
import { addressOf } from "../route.ts";
import type { ProblemAnswer } from "../store/answers.ts";
import { ProblemActions } from "./problem-actions.tsx";
import { groupedProblems, sentence } from "./problem-groups.ts";

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

/** The newest kind of problem in full, and the number of the others. */
export function ProblemLine({ problems }: { readonly problems: readonly ProblemAnswer[] }) {
  const { t } = usePage();
  const [group, ...others] = groupedProblems(problems);
  if (!group) return null;
  const { first, count } = group;
  const several = `problems_${first.code}`;
  const isNamed = count > 1 && t.has(several);
  const more = others.reduce((sum, each) => sum + each.count, 0);
  return (
    <div class="problems problem">
      <p>
        <span aria-hidden="true">⚠ </span>
        <strong>{isNamed && t.has(several) ? t(several, { count }) : sentence(first.advice)}</strong>
        {count > 1 && !isNamed && ` (${t("and_more", { count: count - 1 })})`}
      </p>
      <ProblemActions key={first.code} problem={first} />
      {more > 0 && (
        <p class="problem-links">
          <a href={addressOf("system", "problems")}>{t("problems_several", { count: more })}</a>
        </p>
      )}
    </div>
  );
}
