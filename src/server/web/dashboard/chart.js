/**
 * Values of intervals as bars from zero, on the axes and the canvas of uPlot. What uPlot does not do stands here: bars of
 * unequal length, a colour each, hatched estimates, gaps, runs of plans below, and a read-out for mouse, finger and keys.
 */
import { LABEL_HEIGHT, LANE_HEIGHT, lanesOf, paintBars, paintLanes, paintMarks } from "./chart-paint.js";
import uPlot from "./uplot.js";

const AXIS_FONT = "12px system-ui, sans-serif";
/** Room for what stands above the bars: the word at the line of now. */
const TOP = 18;
/** What a label of the time axis takes, in pixels of the page. */
const LABEL_PX = 36;
const MIN_LABELS = 4;
const Y_SPACE = 34;
const Y_CHARACTER = 7.2;

/**
 * What a chart shows.
 * @typedef {{
 *   from: number, to: number,
 *   bars: { start: number, end: number, value: number | null, kind: string, estimate: boolean }[],
 *   ticksFor: (room: number) => { at: number, text: string, strong?: boolean }[],
 *   valueText: (value: number) => string,
 *   tell: (index: number) => string,
 *   onpick: (index: number | null) => void,
 *   now?: number | null, nowText?: string,
 *   lanes?: { name: string, runs: { start: number, end: number, past: boolean }[] }[],
 *   label: string, rest?: number | null,
 * }} View
 * `ticksFor` is told how many labels there is room for. Bars are ascending and apart; a value of null is a gap. `rest` is the index that is read out while nobody points.
 */

export class Chart {
  #host;
  #plot = null;
  #pick;
  /** @type {View | null} */
  #view = null;
  #picked = null;
  /** The place there is, as it was told last: to ask for it would lay the page out each time. */
  #box = null;

  constructor(host) {
    this.#host = host;
    this.#pick = document.createElement("div");
    this.#pick.className = "pick";
    new ResizeObserver(([{ contentRect }]) => {
      this.#box = contentRect;
      this.#resize();
    }).observe(host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
    matchMedia("print").addEventListener("change", () => {
      this.#box = null;
      this.#resize();
      this.repaint();
    });
  }

  /** Shows another view. What was picked stays picked where there is still a bar at that time. */
  show(view) {
    const before = this.#picked === null ? null : this.#view?.bars[this.#picked]?.start;
    this.#view = this.#labelled(view);
    this.#plot ??= this.#make();
    const over = this.#plot.over;
    over.setAttribute("aria-label", view.label);
    over.setAttribute("aria-valuemin", "0");
    over.setAttribute("aria-valuemax", String(Math.max(0, view.bars.length - 1)));
    this.#plot.setData([view.bars.map((bar) => bar.start), view.bars.map((bar) => bar.value)]);
    this.#resize();
    const same = before === null || before === undefined ? -1 : view.bars.findIndex((bar) => bar.start === before);
    this.#choose(same < 0 ? null : same);
  }

  /** Paints again, in the colours of the moment. */
  repaint() {
    this.#plot?.redraw(false, true);
  }

  #make() {
    const plot = new uPlot(this.#options(), [[], []], this.#host);
    plot.over.append(this.#pick);
    plot.over.tabIndex = 0;
    plot.over.setAttribute("role", "slider");
    this.#listen(plot.over);
    return plot;
  }

  #options() {
    const view = () => this.#view;
    const color = (name) => () => getComputedStyle(this.#host).getPropertyValue(name);
    return {
      ...this.#size(),
      ms: 1,
      padding: [TOP, 6, () => lanesOf(view()) * LANE_HEIGHT, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [view().from, view().to] },
        y: { range: (_, least, most) => rangeOf(least, most) },
      },
      series: [{}, { paths: () => null, points: { show: false } }],
      axes: [
        {
          font: AXIS_FONT,
          stroke: color("--faint"),
          size: LABEL_HEIGHT,
          gap: 4,
          grid: { show: false },
          ticks: { show: false },
          splits: () => view().ticks.map(({ at }) => at),
          values: () => view().ticks.map(({ text }) => text),
        },
        {
          font: AXIS_FONT,
          stroke: color("--faint"),
          space: Y_SPACE,
          gap: 4,
          size: (_, texts) => Math.max(24, ...(texts ?? []).map((text) => text.length * Y_CHARACTER + 8)),
          grid: { stroke: color("--grid"), width: 1 },
          ticks: { show: false },
          values: (_, splits) => splits.map((value) => view().valueText(value)),
        },
      ],
      hooks: {
        draw: [
          (plot) => {
            const style = getComputedStyle(this.#host);
            paintBars(plot, view(), style);
            paintLanes(plot, view(), style);
            paintMarks(plot, view(), style);
          },
        ],
      },
    };
  }

  /** A view with the labels that there is room for. */
  #labelled(view) {
    const room = Math.max(MIN_LABELS, Math.floor(this.#size().width / LABEL_PX));
    return { ...view, ticks: view.ticksFor(room) };
  }

  #size() {
    const { width, height } = this.#box ?? { width: this.#host.clientWidth, height: this.#host.clientHeight };
    return { width: Math.max(200, Math.floor(width)), height: Math.max(120, Math.floor(height)) };
  }

  #resize() {
    if (!this.#plot) return;
    const size = this.#size();
    if (size.width !== this.#plot.width || size.height !== this.#plot.height) {
      this.#view = this.#labelled(this.#view);
      this.#plot.setSize(size);
    }
    this.#place();
  }

  #listen(over) {
    const at = (event) => {
      const { left, width } = over.getBoundingClientRect();
      const { from, to } = this.#view;
      return this.#indexAt(from + ((event.clientX - left) / width) * (to - from));
    };
    over.addEventListener("pointermove", (event) => this.#choose(at(event)));
    over.addEventListener("pointerdown", (event) => this.#choose(at(event)));
    over.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#choose(null));
    over.addEventListener("blur", () => this.#choose(null));
    over.addEventListener("keydown", (event) => {
      const next = this.#stepOf(event.key);
      if (next === null) return;
      event.preventDefault();
      this.#choose(next);
    });
  }

  #stepOf(key) {
    const last = this.#view.bars.length - 1;
    const present = this.#picked ?? this.#view.rest ?? 0;
    const steps = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -4,
      PageUp: 4,
      Home: -last,
      End: last,
    };
    if (key === "Escape") return -1;
    const step = steps[key];
    if (step === undefined || last < 0) return null;
    return Math.min(last, Math.max(0, present + step));
  }

  /** The bar at an instant, or the nearest before it; null without bars. */
  #indexAt(instant) {
    const { bars } = this.#view;
    let low = 0;
    let high = bars.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bars[middle].start <= instant) low = middle + 1;
      else high = middle;
    }
    return bars.length === 0 ? null : Math.max(0, low - 1);
  }

  #choose(index) {
    this.#picked = index === null || index < 0 ? null : index;
    const told = this.#picked ?? this.#view.rest ?? null;
    const { over } = this.#plot;
    over.setAttribute("aria-valuenow", String(told ?? 0));
    over.setAttribute("aria-valuetext", told === null ? this.#view.label : this.#view.tell(told));
    this.#place();
    this.#view.onpick(this.#picked);
  }

  #place() {
    const bar = this.#picked === null ? null : this.#view?.bars[this.#picked];
    this.#pick.hidden = !bar;
    if (!bar) return;
    const { from, to } = this.#view;
    const width = this.#plot.bbox.width / devicePixelRatio;
    const left = ((Math.max(from, bar.start) - from) / (to - from)) * width;
    this.#pick.style.transform = `translateX(${left}px)`;
    this.#pick.style.width = `${Math.max(2, ((Math.min(to, bar.end) - Math.max(from, bar.start)) / (to - from)) * width)}px`;
  }
}

/** Zero is always there, and a little room beyond the longest bar. */
function rangeOf(least, most) {
  const low = Math.min(0, least ?? 0);
  const high = Math.max(0, most ?? 0);
  const room = (high - low || 1) * 0.06;
  return [low < 0 ? low - room : 0, high > 0 || low === 0 ? high + room : 0];
}
