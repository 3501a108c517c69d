/** Table of the chart's prices. */
import { useState } from "preact/hooks";
import { ColumnHeads, LevelMark } from "../elements.tsx";
import { usePage } from "../page.ts";
import type { ShownPoint } from "../timeline.ts";
import { timesText } from "./price-words.ts";

/** Columns of what a price is made of, where the service states it. */
const PARTS = ["spot", "charges", "vat"] as const;

type PriceTableProps = { readonly points: readonly ShownPoint[]; readonly currency: string | null };

/** Folded table. Its rows are made when it is opened. */
export function PriceTable(props: PriceTableProps) {
  const { t } = usePage();
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t("as_table")}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area needs the focus for the keyboard.
        <section class="scroll" aria-label={t("as_table")} tabIndex={0}>
          <Rows {...props} />
        </section>
      )}
    </details>
  );
}

function Rows({ points, currency }: PriceTableProps) {
  const page = usePage();
  const { t, f, store } = page;
  const now = store.time.value;
  const shown = PARTS.filter((part) => points.some(({ parts }) => parts && (part !== "vat" || parts.vat !== 0)));
  return (
    <table>
      <ColumnHeads keys={["time", "price_per_kwh", ...shown.map((part) => `price_${part}` as const), "level"]} />
      <tbody>
        {points.map((point) => (
          <tr key={point.start} class={point.start <= now && now < point.end ? "present" : undefined}>
            <th scope="row">
              <span class="whole">{f.day(point.start)}</span> <span class="whole">{timesText(point, page)}</span>
            </th>
            <td class="number">{f.money(point.price, currency)}</td>
            {shown.map((part) => (
              <td key={part} class="number">
                {point.parts ? f.number(point.parts[part]) : "–"}
              </td>
            ))}
            <td>
              <LevelMark level={point.level} />
              {point.mark && ` ${t(point.mark)}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
