/** What a plan with `learn` has learned: energy and course of a run, with buttons to keep it and to learn again. */

import { Button } from "../elements.tsx";
import { usePage } from "../page.ts";
import type { Plan } from "../store/answers.ts";

interface LearnedProps {
  readonly plan: Plan;
  /** Sends a command; absent if the user may not. */
  readonly onCommand: ((command: string) => void) | undefined;
}

export function LearnedRuns({ plan: { kind, learned }, onCommand }: LearnedProps) {
  const { t, f } = usePage();
  if (!learned) return null;
  const { runs, kwh, profile, frozen } = learned;
  return (
    <div class="learned">
      <p class="faint">{t(frozen ? "learned_frozen" : "learned", { runs, kwh: f.energy(kwh) })}</p>
      {kind === "window" && (
        <svg viewBox={`0 0 ${profile.length} 1`} preserveAspectRatio="none" class="course" aria-hidden="true">
          <path d={`M0 1${profile.map((part, i) => `V${1 - part}H${i + 1}`).join("")}V1Z`} />
        </svg>
      )}
      {onCommand && (
        <div class="actions">
          {(frozen ? FROZEN : LEARNING).map((command) => (
            <Button key={command} data-action={command} onClick={() => onCommand(command)}>
              {t(`action_${command}`)}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

const LEARNING = ["freeze_learned", "forget_learned"] as const;
const FROZEN = ["forget_learned"] as const;
