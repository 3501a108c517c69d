/** What a plan with `learn` has learned: energy and course of a run, with a button to learn again. */

import { Button } from "../elements.tsx";
import { usePage } from "../page.ts";
import type { Plan } from "../store/answers.ts";

interface LearnedProps {
  readonly plan: Plan;
  /** Sends a command; absent if the user may not. */
  readonly onCommand: ((command: "forget_learned") => void) | undefined;
}

export function LearnedRuns({ plan: { kind, learned }, onCommand }: LearnedProps) {
  const { t, f } = usePage();
  if (!learned) return null;
  const { runs, kwh, profile } = learned;
  return (
    <div class="learned">
      <p class="faint">{t("learned", { runs, kwh: f.energy(kwh) })}</p>
      {kind === "window" && (
        <svg viewBox={`0 0 ${profile.length} 1`} preserveAspectRatio="none" class="course" aria-hidden="true">
          <path d={`M0 1${profile.map((part, i) => `V${1 - part}H${i + 1}`).join("")}V1Z`} />
        </svg>
      )}
      {onCommand && (
        <div class="actions">
          <Button onClick={() => onCommand("forget_learned")} text={t("action_forget_learned")} />
        </div>
      )}
    </div>
  );
}
