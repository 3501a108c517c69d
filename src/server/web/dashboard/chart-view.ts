/** What a chart shows. */

export interface ChartBar {
  readonly start: number;
  readonly end: number;
  /** Null is a gap. */
  readonly value: number | null;
  /** Name of its colour. */
  readonly kind: string;
  readonly estimate: boolean;
}

export interface ChartTick {
  readonly at: number;
  readonly text: string;
  /** Whether a line goes through the chart. */
  readonly strong?: boolean;
}

/** A stretch of the time axis with a name of its own, below the labels. */
export interface ChartSpan {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface ChartLane {
  readonly name: string;
  readonly runs: readonly { readonly start: number; readonly end: number; readonly past: boolean }[];
}

export interface ChartView {
  readonly from: number;
  readonly to: number;
  /** Shape: ascending and disjoint. */
  readonly bars: readonly ChartBar[];
  /** Labels of the time axis, at most `room` of them. */
  readonly ticksFor: (room: number) => readonly ChartTick[];
  readonly days?: readonly ChartSpan[];
  /** Unit of the values, above their axis. */
  readonly unit: string;
  readonly valueText: (value: number) => string;
  /** Text of a bar for screen readers. */
  readonly tell: (index: number) => string;
  /** Is called with the bar that the reader points at; null if there is none. */
  readonly onPick: (index: number | null) => void;
  readonly now?: number | null;
  readonly nowText?: string;
  readonly lanes?: readonly ChartLane[];
  readonly label: string;
  /** The bar that is read out while the reader points at none. */
  readonly rest: number | null;
}

/** A view with the labels that there is room for. */
export interface LabelledView extends ChartView {
  readonly ticks: readonly ChartTick[];
}
