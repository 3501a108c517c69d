/** Paints bars, lanes of plans and marks on the canvas, in device pixels. */
import type uPlot from "uplot";
import type { ChartLane, LabelledView } from "./chart-view.ts";

/**
 * Minimum width of a bar. Below it, pixel columns show the range of their values lightly, and the mean in full colour.
 */
const MIN_BAR_PX = 0.5;
/** Minimum width of bars that have a gap between them. */
const APART_PX = 5;
const PAST_ALPHA = 0.42;
const MIN_LETTERS = 4;
const FONT = "system-ui, sans-serif";

/** Heights of a line of labels, and of a plan's lane with its name, below the bars. For text of 16 px. */
const LINE_HEIGHT = 20;
const LANE_HEIGHT = 18;
/** Share of the chart's height that the lanes have at most. More plans have narrower lanes, without names. */
const MAX_LANES_SHARE = 0.25;
const USUAL_TEXT_PX = 16;

/** Returns the user's text size relative to 16 px. */
export function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_TEXT_PX;
}

/** Returns the height of the labels of the time axis. Unit: CSS pixels. */
export function axisHeight({ days = [] }: LabelledView): number {
  return (days.length > 0 ? 2 : 1) * LINE_HEIGHT * textScale() + 2;
}

/** Returns the height of all lanes in a chart of a height. Unit: CSS pixels. */
export function lanesHeight({ lanes = [] }: LabelledView, height: number): number {
  return Math.min(lanes.length * LANE_HEIGHT * textScale(), height * MAX_LANES_SHARE);
}

/** What is painted on: the canvas of a chart, its scales and the colours of the page. Unit: device pixels. */
interface Canvas {
  readonly ctx: CanvasRenderingContext2D;
  readonly view: LabelledView;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Height of all lanes. */
  readonly lanes: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** The same ratio times the text scale, for sizes that depend on the text. */
  readonly text: number;
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  /** Returns a colour by its name in the style of the page. */
  readonly color: (name: string) => string;
}

export function canvasOf(plot: uPlot, view: LabelledView, style: CSSStyleDeclaration): Canvas {
  const { left, top, width, height } = plot.bbox;
  const perMs = width / (view.to - view.from);
  return {
    ctx: plot.ctx,
    view,
    left,
    top,
    width,
    height,
    lanes: lanesHeight(view, plot.height) * devicePixelRatio,
    ratio: devicePixelRatio,
    text: devicePixelRatio * textScale(),
    x: (at) => left + (at - view.from) * perMs,
    y: (value) => plot.valToPos(value, "y", true),
    color: (name) => style.getPropertyValue(`--${name}`),
  };
}

export function paintBars(canvas: Canvas): void {
  const { ctx, left, top, width, height, ratio } = canvas;
  const { length } = canvas.view.bars;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height + 1);
  ctx.clip();
  if (length > 0 && width / length < MIN_BAR_PX * ratio) paintDense(canvas);
  else paintEach(canvas);
  ctx.fillStyle = canvas.color("line");
  ctx.fillRect(left, Math.round(canvas.y(0)) - ratio / 2, width, ratio);
  ctx.restore();
}

/** Paints each bar. Bars of the same look share a path. */
function paintEach(canvas: Canvas): void {
  const { ctx, view, ratio, x, y, color } = canvas;
  const zero = y(0);
  const paths = new Map<string, Path2D>();
  for (const bar of view.bars) {
    if (bar.end <= view.from || bar.start >= view.to) continue;
    const past = typeof view.now === "number" && bar.end <= view.now;
    const look = bar.value === null ? "gap" : `${bar.kind} ${bar.estimate ? "estimate" : "sure"} ${past ? "past" : ""}`;
    const path = paths.get(look) ?? new Path2D();
    paths.set(look, path);
    // Whole pixels, because the background would be visible between bars with fractions of a pixel.
    const left = Math.round(x(bar.start));
    const width = Math.round(x(bar.end)) - left;
    const gap = width > APART_PX * ratio ? ratio : 0;
    if (bar.value === null) path.rect(left, canvas.top, width, canvas.height);
    else path.rect(left, Math.min(zero, y(bar.value)), width - gap, Math.max(ratio, Math.abs(y(bar.value) - zero)));
  }
  for (const [look, path] of paths) {
    const [kind = "", sureness, past] = look.split(" ");
    ctx.globalAlpha = past ? PAST_ALPHA : 1;
    ctx.fillStyle = kind === "gap" || sureness === "estimate" ? hatched(canvas, color(kind)) : color(kind);
    ctx.fill(path);
  }
  ctx.globalAlpha = 1;
}

/** Paints the range and the mean of the values in each column of pixels. */
function paintDense({ ctx, view, left, width, ratio, y, color }: Canvas): void {
  const count = Math.max(1, Math.floor(width / ratio));
  const columns = new Map<number, { least: number; most: number; sum: number; count: number }>();
  const perMs = count / (view.to - view.from);
  let kind = "use";
  for (const bar of view.bars) {
    const place = Math.floor((bar.start - view.from) * perMs);
    const { value } = bar;
    if (value === null || place < 0 || place >= count) continue;
    kind = bar.kind;
    const column = columns.get(place) ?? { least: value, most: value, sum: 0, count: 0 };
    columns.set(place, column);
    column.least = Math.min(column.least, value);
    column.most = Math.max(column.most, value);
    column.sum += value;
    column.count++;
  }
  const reach = new Path2D();
  const mean = new Path2D();
  const step = width / count;
  const zero = y(0);
  for (const [place, column] of columns) {
    const start = left + place * step;
    const top = y(Math.max(0, column.most));
    reach.rect(start, top, step, y(Math.min(0, column.least)) - top);
    const middle = y(column.sum / column.count);
    mean.rect(start, Math.min(zero, middle), step, Math.abs(middle - zero));
  }
  ctx.fillStyle = color(kind);
  ctx.globalAlpha = PAST_ALPHA;
  ctx.fill(reach);
  ctx.globalAlpha = 1;
  ctx.fill(mean);
}

/** Hatch patterns by colour and pixel ratio. Bounded by the colours of two themes. */
const patterns = new Map<string, CanvasPattern | null>();

function hatched({ ctx, ratio }: Canvas, color: string): CanvasPattern | string {
  const name = `${color} ${ratio}`;
  const known = patterns.get(name);
  if (known) return known;
  const size = Math.round(6 * ratio);
  const tile = new OffscreenCanvas(size, size);
  const pen = tile.getContext("2d");
  if (!pen) return color;
  pen.fillStyle = color;
  pen.globalAlpha = 0.22;
  pen.fillRect(0, 0, size, size);
  pen.globalAlpha = 1;
  pen.strokeStyle = color;
  pen.lineWidth = 1.4 * ratio;
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift - 1, size + 1);
    pen.lineTo(shift + size + 1, -1);
  }
  pen.stroke();
  const pattern = ctx.createPattern(tile, "repeat");
  patterns.set(name, pattern);
  return pattern ?? color;
}

/** Paints a lane for each plan below the bars, with its runs and its name. */
export function paintLanes(canvas: Canvas): void {
  const { ctx, view, ratio, text, color } = canvas;
  const { lanes = [] } = view;
  const lane = canvas.lanes / lanes.length;
  const hasNames = lane >= LANE_HEIGHT * text - 1;
  const height = hasNames ? lane - 8 * text : lane * 0.7;
  const first = canvas.top + canvas.height + axisHeight(view) * ratio + lane / 2;
  ctx.save();
  ctx.font = `${11 * text}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const [row, { name, runs }] of lanes.entries()) {
    const middle = first + row * lane;
    ctx.fillStyle = color("grid");
    ctx.fillRect(canvas.left, middle - ratio / 2, canvas.width, ratio);
    ctx.fillStyle = color("plan");
    for (const run of runs) {
      const left = Math.max(canvas.left, canvas.x(run.start));
      const right = Math.min(canvas.left + canvas.width, canvas.x(run.end));
      if (right <= left) continue;
      ctx.globalAlpha = run.past ? PAST_ALPHA : 1;
      ctx.beginPath();
      ctx.roundRect(left, middle - height / 2, Math.max(3 * ratio, right - left), height, height / 2);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
    if (hasNames) paintName(canvas, { name, runs }, middle);
  }
  ctx.restore();
}

/** Paints the name of a plan after its last run or before its first one, shortened so that it covers no run. */
function paintName({ ctx, left, width, text, x, color }: Canvas, { name, runs }: ChartLane, middle: number): void {
  const end = left + width;
  const shown = runs.filter((run) => x(run.end) > left && x(run.start) < end);
  const [first] = shown;
  const last = shown.at(-1);
  if (!first || !last) return;
  const space = 6 * text;
  const after = x(last.end) + space;
  const before = x(first.start) - space;
  const isBehind = end - after >= Math.min(before - left, ctx.measureText(name).width);
  const short = shortened(ctx, name, isBehind ? end - after : before - left);
  if (short === "") return;
  const length = ctx.measureText(short).width;
  const start = isBehind ? after : before - length;
  ctx.fillStyle = color("card");
  ctx.fillRect(start - space / 2, middle - 6 * text, length + space, 12 * text);
  ctx.fillStyle = color("soft");
  ctx.fillText(short, start, middle);
}

/** Returns a name shortened to a width; empty if fewer than 4 letters fit. */
function shortened(ctx: CanvasRenderingContext2D, name: string, width: number): string {
  if (ctx.measureText(name).width <= width) return name;
  let length = name.length - 1;
  while (length > 0 && ctx.measureText(`${name.slice(0, length)}…`).width > width) length--;
  return length < MIN_LETTERS ? "" : `${name.slice(0, length).trimEnd()}…`;
}

/** Paints lines at midnight, names of days, the unit, and the line of the current time. */
export function paintMarks(canvas: Canvas): void {
  const { ctx, ratio, view } = canvas;
  const { now } = view;
  ctx.save();
  ctx.strokeStyle = canvas.color("line");
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  for (const { at, strong } of view.ticks) {
    if (!strong || at <= view.from || at >= view.to) continue;
    ctx.beginPath();
    ctx.moveTo(Math.round(canvas.x(at)), canvas.top);
    ctx.lineTo(Math.round(canvas.x(at)), canvas.top + canvas.height);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  const unitEnd = paintUnit(canvas);
  paintDays(canvas);
  if (typeof now === "number" && now >= view.from && now <= view.to) paintNow(canvas, now, unitEnd);
  ctx.restore();
}

/** Paints the unit above the value axis. Returns its right end. */
function paintUnit({ ctx, view: { unit }, top, ratio, text, color }: Canvas): number {
  ctx.font = `${11 * text}px ${FONT}`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  ctx.fillStyle = color("faint");
  ctx.fillText(unit, 2 * ratio, top - 4 * ratio);
  return 2 * ratio + ctx.measureText(unit).width + 6 * text;
}

/** Paints the names of days below their hours. */
function paintDays({ ctx, view: { days = [], ticks }, top, height, text: scale, x, color }: Canvas): void {
  const isOnlyLine = ticks.every(({ text }) => text === "");
  ctx.font = `600 ${12 * scale}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  ctx.fillStyle = color("soft");
  const middle = top + height + LINE_HEIGHT * (isOnlyLine ? 0.75 : 1.5) * scale;
  for (const { start, end, text } of days) {
    const [left, right] = [x(start), x(end)];
    ctx.fillText(shortened(ctx, text, right - left), (left + right) / 2, middle);
  }
}

/** Paints the line of the current time, and its label to the right of `least`. */
function paintNow(canvas: Canvas, now: number, least: number): void {
  const { ctx, view, left, top, ratio, text } = canvas;
  const { nowText = "" } = view;
  const x = canvas.x(now);
  ctx.fillStyle = canvas.color("ink");
  ctx.fillRect(x - ratio, top - 2 * ratio, 2 * ratio, canvas.height + 2 * ratio);
  ctx.font = `600 ${11 * text}px ${FONT}`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  const { width } = ctx.measureText(nowText);
  ctx.fillText(nowText, Math.min(left + canvas.width - width, Math.max(least, x - width / 2)), top - 4 * ratio);
}
