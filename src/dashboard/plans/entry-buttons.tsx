/** Buttons to edit, copy and delete an entry of the configuration. */

import type { Task } from "../editing/editing.ts";
import { Button } from "../elements.tsx";
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
        <Button
          key={mode}
          class={mode === "delete" ? "quiet danger" : "quiet"}
          aria-describedby={title}
          onClick={() => onTask({ list, mode, id, name })}
          text={t(`plan_${mode}`)}
        />
      ))}
    </div>
  );
}
