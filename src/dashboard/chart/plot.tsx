/** Component with a chart. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Chart } from "./chart.ts";
import type { ChartView } from "./chart-view.ts";

interface PlotProps {
  /** View of the chart; null for an empty place. Each new object is painted. */
  readonly view: ChartView | null;
  readonly isTall?: boolean;
  readonly isEmpty: boolean;
  /** Text in a chart without bars. */
  readonly emptyText?: string;
}

export function Plot({ view, isTall = false, isEmpty, emptyText }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  useLayoutEffect(() => {
    if (!host.current || !view) return;
    chart.current ??= new Chart(host.current);
    chart.current.show(view);
  }, [view]);
  useLayoutEffect(() => () => chart.current?.destroy(), []);
  return <div ref={host} class={`plot${isTall ? " tall" : ""}${isEmpty ? " empty" : ""}`} data-empty={emptyText} />;
}
