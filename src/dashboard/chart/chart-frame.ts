/** Where a chart draws what: its margins, scales and labels. Unit: CSS pixels. */
import { type ChartTick, type ChartView, stackOf } from "./chart-view.ts";

/** Sizes for text of 16 px. They scale with the user's text size. */
const TOP = 20;
const LINE_HEIGHT = 20;
const LABEL_WIDTH = 48;
const VALUE_DISTANCE = 34;
const VALUE_CHARACTER = 7.2;
const MIN_LEFT = 24;
const RIGHT = 6;
/** Width of a letter of the name of a lane, and of its icon with the gap. */
const LETTER_PX = 6;
const ICON_WIDTH = 22;
/** Minimum width of a chart with room for names to the left, and maximum share of it that they take. */
const WIDE = 560;
const MAX_NAMES_SHARE = 0.26;
/** Share of the values' range that stays free beyond the longest bars. */
const MARGIN = 0.06;

export interface ChartSize {
  readonly width: number;
  readonly height: number;
  /** The user's text size relative to 16 px. */
  readonly scale: number;
}

export interface ChartFrame extends ChartSize {
  readonly view: ChartView;
  /** Area of the bars. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Whether the names of the lanes are above them, not to the left. */
  readonly isNarrow: boolean;
  /** Middle of the line with the names of days. */
  readonly daysMiddle: number;
  readonly ticks: readonly ChartTick[];
  /** Values with a line and a label. */
  readonly values: readonly number[];
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

export function frameOf(view: ChartView, size: ChartSize): ChartFrame {
  const { width, height, scale } = size;
  const { from, to, days = [], lanes = [] } = view;
  const isNarrow = width < WIDE * scale;
  const top = TOP * scale;
  const bottom = height - (days.length > 0 ? 2 : 1) * LINE_HEIGHT * scale - 2;
  const [low, high] = rangeOf(view);
  const values = valuesOf(low, high, (bottom - top) / (VALUE_DISTANCE * scale));
  const longest = Math.max(0, ...values.map((value) => view.valueText(value).length));
  const letters = isNarrow ? 0 : 1 + Math.max(0, ...lanes.map(({ name }) => name.length));
  const names = (letters * LETTER_PX + ICON_WIDTH) * (lanes.length > 0 ? scale : 0);
  const left = Math.max(MIN_LEFT, longest * VALUE_CHARACTER * scale + 8, Math.min(names, width * MAX_NAMES_SHARE));
  const right = width - RIGHT;
  const ticks = view.ticksFor(Math.max(1, Math.floor((right - left) / (LABEL_WIDTH * scale))));
  const isOnlyLine = ticks.every(({ text }) => text === "");
  return {
    ...{ ...size, view },
    left,
    top,
    right,
    bottom,
    isNarrow,
    daysMiddle: bottom + LINE_HEIGHT * (isOnlyLine ? 0.75 : 1.5) * scale,
    ticks,
    values,
    x: (at) => left + ((at - from) / (to - from)) * (right - left),
    y: (value) => bottom - ((value - low) / (high - low)) * (bottom - top),
  };
}

/** Returns the range of the value axis. It includes zero, and a margin beyond the longest bars. */
function rangeOf({ bars }: ChartView): [number, number] {
  let low = 0;
  let high = 0;
  for (const part of bars.flatMap(stackOf)) {
    low = Math.min(low, part.low);
    high = Math.max(high, part.high);
  }
  const room = (high - low || 1) * MARGIN;
  return [low < 0 ? low - room : 0, high > 0 || low === 0 ? high + room : 0];
}

/** Returns about `count` round values of a range, ascending. */
function valuesOf(low: number, high: number, count: number): number[] {
  const least = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= least) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
}
