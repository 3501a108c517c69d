/**
 * Modal dialog. The focus stays in it, Escape closes it, and the focus then returns to the element that had it before.
 */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export function Dialog({
  title,
  onClose,
  children,
}: Readonly<{ title: string; onClose: () => void; children: ComponentChildren }>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the effects of a form in it, which focuses its first field.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // While the dialog is there, nothing outside of it can have the focus.
    return () => queueMicrotask(() => opener instanceof HTMLElement && opener.focus());
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id} tabindex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
