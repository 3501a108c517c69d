/** A button that opens a menu of actions. Browsers close it with Escape and by a click elsewhere. */
import { useState } from "preact/hooks";
import { Button, Icon } from "../elements.tsx";

const DOTS = "M12 5v.01M12 12v.01M12 19v.01";

interface MenuProps {
  readonly id: string;
  readonly label: string;
  readonly items: readonly { readonly text: string; readonly onChoose: () => void }[];
}

export function Menu({ id, label, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="menu">
      <Button class="quiet" popovertarget={id} aria-expanded={isOpen} aria-label={label}>
        <Icon path={DOTS} />
      </Button>
      <div id={id} popover="auto" onToggle={({ newState }) => setOpen(newState === "open")}>
        {items.map(({ text, onChoose }) => (
          <Button key={text} popovertarget={id} popovertargetaction="hide" onClick={onChoose} text={text} />
        ))}
      </div>
    </div>
  );
}
