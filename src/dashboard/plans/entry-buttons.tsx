/** Buttons to edit, copy and delete an entry of the configuration. */
import type { Task } from "../editing/editing.ts";
import { usePage } from "../page.ts";

interface EntryButtonsProps {
  readonly list: Task["list"];
  readonly id: string;
  readonly name: string;
  /** Id of the heading that names the entry. */
  readonly title: string;
  readonly onTask: (task: Task) => void;
}

export function EntryButtons({ list, id, name, title, onTask }: EntryButtonsProps) {
  const { t } = usePage();
  return (
    <div class="entry-buttons">
      {(["edit", "copy", "delete"] as const).map((mode) => (
        <button
          key={mode}
          type="button"
          class={mode === "delete" ? "quiet danger" : "quiet"}
          aria-describedby={title}
          onClick={() => onTask({ list, mode, id, name })}
        >
          {t(`plan_${mode}`)}
        </button>
      ))}
    </div>
  );
}
