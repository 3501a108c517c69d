/** Types of a chart's data. */

export interface ChartBar {
  readonly start: number;
  readonly end: number;
  /** Value; null for a gap. */
  readonly value: number | null;
  /** Name of the CSS variable of its colour, without `--`. */
  readonly kind: string;
  readonly estimate: boolean;
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
