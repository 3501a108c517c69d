/** Buttons to edit, copy and delete a plan. */
import type { Task } from "../editing/editing.ts";
import { Button } from "../elements.tsx";
import { usePage } from "../page.ts";
import type { Plan } from "../store/answers.ts";

export const ENTRY_MODES = ["edit", "copy", "delete"] as const;

export function EntryButtons({ plan: { id, name }, onTask }: Readonly<{ plan: Plan; onTask: (task: Task) => void }>) {
  const { t } = usePage();
  return (
    <div class="entry-buttons">
      {ENTRY_MODES.map((mode) => (
        <Button
          key={mode}
          class={mode === "delete" ? "quiet danger" : "quiet"}
          aria-describedby={`plan-${id}`}
          onClick={() => onTask({ list: "plans", mode, id, name })}
          text={t(`plan_${mode}`)}
        />
      ))}
    </div>
  );
}
