/**
 * Bar chart of intervals, drawn on the canvas and with the axes of uPlot. Adds features that uPlot lacks: bars of
 * unequal width with their own colours, hatched estimates, gaps, runs of plans below the bars, and a read-out of values
 * by mouse, touch and keyboard.
 */
import uPlot from "uplot";
import { axisHeight, canvasOf, lanesHeight, paintBars, paintLanes, paintMarks, textScale } from "./chart-paint.ts";
import type { ChartView, LabelledView } from "./chart-view.ts";

/** Sizes in CSS pixels for text of 16 px. They scale with the user's text size. */
const AXIS_PX = 12;
/** Height of the unit and the label of the current time, above the bars. */
const TOP = 20;
/** Width of a label of the time axis. */
const LABEL_PX = 48;
const MIN_LABELS = 1;
const Y_SPACE = 34;
const Y_CHARACTER = 7.2;
const MIN_WIDTH = 200;
const MIN_HEIGHT = 120;

const EMPTY: LabelledView = {
  from: 0,
  to: 1,
  bars: [],
  ticks: [],
  ticksFor: () => [],
  rest: null,
  label: "",
  unit: "",
  valueText: String,
  describe: () => "",
  onPick: () => undefined,
};

export class Chart {
  readonly #host: HTMLElement;
  readonly #plot: uPlot;
  readonly #pick: HTMLElement;
  readonly #watching = new AbortController();
  readonly #sizes: ResizeObserver;
  #view = EMPTY;
  #picked: number | null = null;
  /** Last reported size, because each measurement would cause a layout. */
  #box: DOMRectReadOnly | null = null;

  constructor(host: HTMLElement) {
    this.#host = host;
    this.#pick = document.createElement("div");
    this.#pick.className = "pick";
    this.#plot = new uPlot(this.#options(), [[], []], host);
    this.#plot.over.append(this.#pick);
    this.#plot.over.tabIndex = 0;
    this.#plot.over.setAttribute("role", "slider");
    this.#listen(this.#plot.over);
    this.#sizes = new ResizeObserver(([entry]) => {
      this.#box = entry?.contentRect ?? null;
      this.#resize();
    });
    this.#sizes.observe(host);
    this.#watchMedia();
  }

  /** Shows another view. A picked bar stays picked if the new view has a bar at the same time. */
  show(view: ChartView): void {
    const before = this.#picked === null ? undefined : this.#view.bars[this.#picked]?.start;
    const lanesBefore = this.#view.lanes?.length ?? 0;
    this.#view = this.#labelled(view);
    const { over } = this.#plot;
    over.setAttribute("aria-label", view.label);
    over.setAttribute("aria-valuemin", "0");
    over.setAttribute("aria-valuemax", String(Math.max(0, view.bars.length - 1)));
    this.#plot.setData([view.bars.map((bar) => bar.start), view.bars.map((bar) => bar.value)]);
    // uPlot measures the room for the lanes only if it is asked to.
    if ((view.lanes?.length ?? 0) !== lanesBefore) this.#repaint();
    this.#resize();
    this.#choose(before === undefined ? null : view.bars.findIndex((bar) => bar.start === before));
  }

  /** Removes the chart and its listeners. */
  destroy(): void {
    this.#watching.abort();
    this.#sizes.disconnect();
    this.#plot.destroy();
  }

  /** Paints again with the current colours. */
  #repaint(): void {
    this.#plot.redraw(false, true);
  }

  #watchMedia(): void {
    const { signal } = this.#watching;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#repaint(), { signal });
    const resized = () => {
      this.#box = null;
      this.#resize();
      this.#repaint();
    };
    matchMedia("print").addEventListener("change", resized, { signal });
  }

  #options(): uPlot.Options {
    const color = (name: string) => () => getComputedStyle(this.#host).getPropertyValue(name);
    return {
      ...this.#size(),
      ms: 1,
      padding: [() => TOP * textScale(), 6, () => lanesHeight(this.#view, this.#size().height), 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [this.#view.from, this.#view.to] },
        y: { range: (_, least, most) => rangeOf(least, most) },
      },
      series: [{}, { paths: () => null, points: { show: false } }],
      axes: [
        {
          font: `${AXIS_PX * textScale()}px system-ui, sans-serif`,
          stroke: color("--faint"),
          size: () => axisHeight(this.#view),
          gap: 4,
          grid: { show: false },
          ticks: { show: false },
          splits: () => this.#view.ticks.map(({ at }) => at),
          values: () => this.#view.ticks.map(({ text }) => text),
        },
        {
          font: `${AXIS_PX * textScale()}px system-ui, sans-serif`,
          stroke: color("--faint"),
          space: Y_SPACE * textScale(),
          gap: 4,
          size: (_, texts) => Math.max(24, ...(texts ?? []).map((text) => text.length * Y_CHARACTER * textScale() + 8)),
          grid: { stroke: color("--grid"), width: 1 },
          ticks: { show: false },
          values: (_, splits) => splits.map((value) => this.#view.valueText(value)),
        },
      ],
      hooks: {
        draw: [
          (plot) => {
            const canvas = canvasOf(plot, this.#view, getComputedStyle(this.#host));
            paintBars(canvas);
            paintLanes(canvas);
            paintMarks(canvas);
          },
        ],
      },
    };
  }

  #labelled(view: ChartView): LabelledView {
    const room = Math.max(MIN_LABELS, Math.floor(this.#size().width / (LABEL_PX * textScale())));
    return { ...view, ticks: view.ticksFor(room) };
  }

  #size(): { width: number; height: number } {
    const { width, height } = this.#box ?? { width: this.#host.clientWidth, height: this.#host.clientHeight };
    return { width: Math.max(MIN_WIDTH, Math.floor(width)), height: Math.max(MIN_HEIGHT, Math.floor(height)) };
  }

  #resize(): void {
    const size = this.#size();
    if (size.width !== this.#plot.width || size.height !== this.#plot.height) {
      this.#view = this.#labelled(this.#view);
      this.#plot.setSize(size);
    }
    this.#place();
  }

  #listen(over: HTMLElement): void {
    const indexAt = ({ clientX }: PointerEvent) => {
      const { left, width } = over.getBoundingClientRect();
      const { from, to } = this.#view;
      return this.#indexAt(from + ((clientX - left) / width) * (to - from));
    };
    over.addEventListener("pointermove", (event) => this.#choose(indexAt(event)));
    over.addEventListener("pointerdown", (event) => this.#choose(indexAt(event)));
    over.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#choose(null));
    over.addEventListener("blur", () => this.#choose(null));
    over.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" && !(event.key in STEPS)) return;
      event.preventDefault();
      this.#choose(event.key === "Escape" ? null : this.#stepped(STEPS[event.key] ?? 0));
    });
  }

  #stepped(step: number): number {
    const last = this.#view.bars.length - 1;
    return Math.min(last, Math.max(0, (this.#picked ?? this.#view.rest ?? 0) + step));
  }

  /** Returns the index of the bar at an instant, or of the nearest one before it; null without bars. */
  #indexAt(instant: number): number | null {
    const { bars } = this.#view;
    let low = 0;
    let high = bars.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((bars[middle]?.start ?? 0) <= instant) low = middle + 1;
      else high = middle;
    }
    return bars.length === 0 ? null : Math.max(0, low - 1);
  }

  #choose(index: number | null): void {
    this.#picked = index === null || index < 0 ? null : index;
    const read = this.#picked ?? this.#view.rest;
    const { over } = this.#plot;
    over.setAttribute("aria-valuenow", String(read ?? 0));
    over.setAttribute("aria-valuetext", read === null ? this.#view.label : this.#view.describe(read));
    this.#place();
    this.#view.onPick(this.#picked);
  }

  #place(): void {
    const bar = this.#picked === null ? undefined : this.#view.bars[this.#picked];
    this.#pick.hidden = !bar;
    if (!bar) return;
    const { from, to } = this.#view;
    const perMs = this.#plot.bbox.width / devicePixelRatio / (to - from);
    const start = Math.max(from, bar.start);
    this.#pick.style.transform = `translateX(${(start - from) * perMs}px)`;
    this.#pick.style.width = `${Math.max(2, (Math.min(to, bar.end) - start) * perMs)}px`;
  }
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -4,
  PageUp: 4,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Returns the range of the value axis. It includes zero, and 6 % of its length as margin beyond the longest bars. */
function rangeOf(least: number | null, most: number | null): [number, number] {
  const low = Math.min(0, least ?? 0);
  const high = Math.max(0, most ?? 0);
  const room = (high - low || 1) * 0.06;
  return [low < 0 ? low - room : 0, high > 0 || low === 0 ? high + room : 0];
}
