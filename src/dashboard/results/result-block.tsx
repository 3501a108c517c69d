/** A block of the results with its heading. */
import type { ComponentChildren } from "preact";

export function ResultBlock({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="block">
      <h3>{title}</h3>
      {children}
    </section>
  );
}
