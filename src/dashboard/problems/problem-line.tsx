/** One line of what is wrong, with a link to where it can be fixed. */

import { usePage } from "../page.ts";
import { addressOf } from "../route.ts";
import type { ProblemAnswer } from "../store/answers.ts";
import { ProblemActions } from "./problem-actions.tsx";
import { groupedProblems, sentence } from "./problem-groups.ts";

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
