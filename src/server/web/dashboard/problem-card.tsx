/** A problem in words, and what to do. */
import type { Problem } from "./answers.ts";
import { usePage } from "./page.ts";

export function ProblemCard({ problem: { code, subject, detail } }: { readonly problem: Problem }) {
  const { t } = usePage();
  return (
    <div class="problem">
      <p class="problem-what">
        <span aria-hidden="true">⚠ </span>
        {t(`problem_${code}`)}
      </p>
      <p class="faint">{[subject, detail].filter(Boolean).join(" · ")}</p>
    </div>
  );
}
