/** Cards of problems with advice. */
import type { Problem } from "../answers.ts";
import { problemHelpUrl } from "../help.ts";
import { usePage } from "../page.ts";
import { sentence } from "./problem-groups.ts";

interface ProblemsProps {
  readonly problems: readonly Problem[];
  /** Whether to show the id that the problem is about, and the technical detail. */
  readonly isDetailed?: boolean;
}

/** The first problem, and a fold with the others. */
export function ProblemCards({ problems: [first, ...others], isDetailed = false }: ProblemsProps) {
  const { t } = usePage();
  if (!first) return null;
  return (
    <div class="problems">
      <ProblemCard problem={first} isDetailed={isDetailed} />
      {others.length > 0 && (
        <details>
          <summary>{t("problems_several", { count: others.length })}</summary>
          <div class="more-problems">
            {others.map((problem) => (
              <ProblemCard key={`${problem.code} ${problem.subject}`} problem={problem} isDetailed={isDetailed} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

interface ProblemProps {
  readonly problem: Problem;
  readonly isDetailed: boolean;
}

function ProblemCard({ problem: { code, subject, advice, detail }, isDetailed }: ProblemProps) {
  const { t, store } = usePage();
  const isOfAccount = store.system.value?.interfaces.some(({ account }) => account === subject);
  return (
    <div class="problem">
      <p class="problem-what">
        <span aria-hidden="true">⚠ </span>
        {sentence(advice)}{" "}
        <a href={problemHelpUrl(code)} target="_blank" rel="noreferrer">
          {t("help")}
        </a>
      </p>
      {isDetailed && !isOfAccount && <p class="faint">{subject}</p>}
      {isDetailed && detail && (
        <p class="faint">
          {`${t("technical_detail")}: `}
          {detail}
        </p>
      )}
    </div>
  );
}
