/** Types of a chart's data. */

/** A part of a bar. The parts are stacked, those above zero and those below it. */
export type ChartPart = { readonly kind: string; readonly value: number };

export interface ChartBar {
  readonly start: number;
  readonly end: number;
  /** Value; null for a gap. */
  readonly value: number | null;
  /** Name of the CSS variable of its colour, without `--`. */
  readonly kind: string;
  readonly estimate: boolean;
  /** Absent for a bar of one colour. Their values add up to that of the bar. */
  readonly stack?: readonly ChartPart[];
}

/** Returns the parts of a bar with their lower and upper ends. Shape: empty for a gap. */
export function stackOf({ value, kind, stack = value === null ? [] : [{ kind, value }] }: ChartBar) {
  let [low, high] = [0, 0];
  return stack.map((part) => {
    const isAbove = part.value >= 0;
    const start = isAbove ? high : low;
    if (isAbove) high += part.value;
    else low += part.value;
    return { kind: part.kind, low: Math.min(start, start + part.value), high: Math.max(start, start + part.value) };
  });
}

export interface ChartTick {
  readonly at: number;
  readonly text: string;
  /** Whether a vertical line marks it. */
  readonly strong?: boolean;
}

/** A range of the time axis with a name below the labels. */
export type ChartSpan = { readonly start: number; readonly end: number; readonly text: string };

export interface ChartLane {
  readonly name: string;
  /** Path of its icon, on a grid of 24 units. */
  readonly icon: string;
  /** Name of the CSS variable of its colour, without `--`. */
  readonly kind: string;
  readonly runs: readonly {
    readonly start: number;
    readonly end: number;
    readonly past: boolean;
    readonly likely: boolean;
  }[];
}

export interface ChartView {
  readonly from: number;
  readonly to: number;
  /** Bars, ascending and disjoint. */
  readonly bars: readonly ChartBar[];
  /** Returns at most `room` labels of the time axis. */
  readonly ticksFor: (room: number) => readonly ChartTick[];
  readonly days?: readonly ChartSpan[];
  /** Unit of the values, shown above their axis. */
  readonly unit: string;
  readonly valueText: (value: number) => string;
  /** Returns the text of a bar for screen readers. */
  readonly describe: (index: number) => string;
  /** Called with the index of the picked bar; null if none is picked. */
  readonly onPick: (index: number | null) => void;
  readonly now?: number | null;
  readonly nowText?: string;
  readonly lanes?: readonly ChartLane[];
  readonly label: string;
  /** Index of the bar that is read out while none is picked; null for none. */
  readonly rest: number | null;
}
