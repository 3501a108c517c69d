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

interface Scale {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** The same ratio times the text scale, for sizes that depend on the text. */
  readonly text: number;
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

/** Returns the functions that convert times and values to device pixels. */
function scaleOf(plot: uPlot, view: LabelledView): Scale {
  const { left, top, width, height } = plot.bbox;
  const perMs = width / (view.to - view.from);
  return {
    ...{ left, top, width, height, ratio: devicePixelRatio, text: devicePixelRatio * textScale() },
    x: (at: number) => left + (at - view.from) * perMs,
    y: (value: number) => plot.valToPos(value, "y", true),
  };
}

export function paintBars(plot: uPlot, view: LabelledView, style: CSSStyleDeclaration): void {
  const { ctx } = plot;
  const scale = scaleOf(plot, view);
  const zero = scale.y(0);
  ctx.save();
  ctx.beginPath();
  ctx.rect(scale.left, scale.top, scale.width, scale.height + 1);
  ctx.clip();
  const dense = view.bars.length > 0 && scale.width / view.bars.length < MIN_BAR_PX * scale.ratio;
  if (dense) paintDense(ctx, view, scale, zero, style);
  else paintEach(ctx, view, scale, zero, style);
  ctx.fillStyle = style.getPropertyValue("--line");
  ctx.fillRect(scale.left, Math.round(zero) - scale.ratio / 2, scale.width, scale.ratio);
  ctx.restore();
}

/** Paints each bar. Bars of the same look share a path. */
function paintEach(
  ctx: CanvasRenderingContext2D,
  view: LabelledView,
  scale: Scale,
  zero: number,
  style: CSSStyleDeclaration,
): void {
  const paths = new Map<string, Path2D>();
  for (const bar of view.bars) {
    if (bar.end <= view.from || bar.start >= view.to) continue;
    const past = typeof view.now === "number" && bar.end <= view.now;
    const look = bar.value === null ? "gap" : `${bar.kind} ${bar.estimate ? "estimate" : "sure"} ${past ? "past" : ""}`;
    let path = paths.get(look);
    if (!path) {
      path = new Path2D();
      paths.set(look, path);
    }
    // Whole pixels, because the background would be visible between bars with fractions of a pixel.
    const left = Math.round(scale.x(bar.start));
    const width = Math.round(scale.x(bar.end)) - left;
    const gap = width > APART_PX * scale.ratio ? scale.ratio : 0;
    if (bar.value === null) path.rect(left, scale.top, width, scale.height);
    else
      path.rect(
        left,
        Math.min(zero, scale.y(bar.value)),
        width - gap,
        Math.max(scale.ratio, Math.abs(scale.y(bar.value) - zero)),
      );
  }
  for (const [look, path] of paths) fillPath(ctx, path, look.split(" "), scale, style);
}

function fillPath(
  ctx: CanvasRenderingContext2D,
  path: Path2D,
  [kind, sureness, past]: readonly string[],
  { ratio }: Scale,
  style: CSSStyleDeclaration,
): void {
  const color = style.getPropertyValue(`--${kind}`);
  ctx.globalAlpha = past ? PAST_ALPHA : 1;
  if (kind === "gap" || sureness === "estimate") {
    ctx.fillStyle = hatched(ctx, color, ratio);
    ctx.fill(path);
  } else {
    ctx.fillStyle = color;
    ctx.fill(path);
  }
  ctx.globalAlpha = 1;
}

/** Paints the range and the mean of the values in each column of pixels. */
function paintDense(
  ctx: CanvasRenderingContext2D,
  view: LabelledView,
  scale: Scale,
  zero: number,
  style: CSSStyleDeclaration,
): void {
  const count = Math.max(1, Math.floor(scale.width / scale.ratio));
  const columns = new Map<number, { least: number; most: number; sum: number; count: number }>();
  const perMs = count / (view.to - view.from);
  let kind = "use";
  for (const { start, value, kind: color } of view.bars) {
    const place = Math.floor((start - view.from) * perMs);
    if (value === null || place < 0 || place >= count) continue;
    kind = color;
    const column = columns.get(place);
    if (!column) {
      columns.set(place, { least: value, most: value, sum: value, count: 1 });
      continue;
    }
    column.least = Math.min(column.least, value);
    column.most = Math.max(column.most, value);
    column.sum += value;
    column.count++;
  }
  const reach = new Path2D();
  const mean = new Path2D();
  const width = scale.width / count;
  for (const [place, column] of columns) {
    const left = scale.left + place * width;
    const top = scale.y(Math.max(0, column.most));
    reach.rect(left, top, width, scale.y(Math.min(0, column.least)) - top);
    const middle = scale.y(column.sum / column.count);
    mean.rect(left, Math.min(zero, middle), width, Math.abs(middle - zero));
  }
  ctx.fillStyle = style.getPropertyValue(`--${kind}`);
  ctx.globalAlpha = PAST_ALPHA;
  ctx.fill(reach);
  ctx.globalAlpha = 1;
  ctx.fill(mean);
}

/** Hatch patterns by colour and pixel ratio. Bounded by the colours of two themes. */
const patterns = new Map<string, CanvasPattern | null>();

function hatched(ctx: CanvasRenderingContext2D, color: string, ratio: number): CanvasPattern | string {
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
export function paintLanes(plot: uPlot, view: LabelledView, style: CSSStyleDeclaration): void {
  const { lanes = [] } = view;
  if (lanes.length === 0) return;
  const { ctx } = plot;
  const scale = scaleOf(plot, view);
  const { ratio, text } = scale;
  const lane = (lanesHeight(view, plot.height) * ratio) / lanes.length;
  const hasNames = lane >= LANE_HEIGHT * text - 1;
  const height = hasNames ? lane - 8 * text : lane * 0.7;
  ctx.save();
  ctx.font = `${11 * text}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const [row, { name, runs }] of lanes.entries()) {
    const top = scale.top + scale.height + axisHeight(view) * ratio + row * lane + (lane - height) / 2;
    ctx.fillStyle = style.getPropertyValue("--grid");
    ctx.fillRect(scale.left, top + height / 2 - ratio / 2, scale.width, ratio);
    for (const run of runs) {
      const left = Math.max(scale.left, scale.x(run.start));
      const right = Math.min(scale.left + scale.width, scale.x(run.end));
      if (right <= left) continue;
      ctx.globalAlpha = run.past ? PAST_ALPHA : 1;
      ctx.fillStyle = style.getPropertyValue("--plan");
      ctx.beginPath();
      ctx.roundRect(left, top, Math.max(3 * ratio, right - left), height, height / 2);
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    if (hasNames) paintName(ctx, { name, runs }, scale, top + height / 2, style);
  }
  ctx.restore();
}

/** Paints the name of a plan after its last run or before its first one, shortened so that it covers no run. */
function paintName(
  ctx: CanvasRenderingContext2D,
  { name, runs }: ChartLane,
  scale: Scale,
  middle: number,
  style: CSSStyleDeclaration,
): void {
  const end = scale.left + scale.width;
  const shown = runs.filter((run) => scale.x(run.end) > scale.left && scale.x(run.start) < end);
  const [first] = shown;
  const last = shown.at(-1);
  if (!first || !last) return;
  const space = 6 * scale.text;
  const after = scale.x(last.end) + space;
  const before = scale.x(first.start) - space;
  const isBehind = end - after >= Math.min(before - scale.left, ctx.measureText(name).width);
  const text = shortened(ctx, name, isBehind ? end - after : before - scale.left);
  if (text === "") return;
  const width = ctx.measureText(text).width;
  const left = isBehind ? after : before - width;
  ctx.fillStyle = style.getPropertyValue("--card");
  ctx.fillRect(left - space / 2, middle - 6 * scale.text, width + space, 12 * scale.text);
  ctx.fillStyle = style.getPropertyValue("--soft");
  ctx.fillText(text, left, middle);
}

/** Returns a name shortened to a width; empty if fewer than 4 letters fit. */
function shortened(ctx: CanvasRenderingContext2D, name: string, width: number): string {
  if (ctx.measureText(name).width <= width) return name;
  let length = name.length - 1;
  while (length > 0 && ctx.measureText(`${name.slice(0, length)}…`).width > width) length--;
  return length < MIN_LETTERS ? "" : `${name.slice(0, length).trimEnd()}…`;
}

/** Paints lines at midnight, names of days, the unit, and the line of the current time. */
export function paintMarks(plot: uPlot, view: LabelledView, style: CSSStyleDeclaration): void {
  const { ctx } = plot;
  const scale = scaleOf(plot, view);
  const { ratio } = scale;
  const { now, ticks } = view;
  ctx.save();
  ctx.strokeStyle = style.getPropertyValue("--line");
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  for (const { at, strong } of ticks) {
    if (!strong || at <= view.from || at >= view.to) continue;
    ctx.beginPath();
    ctx.moveTo(Math.round(scale.x(at)), scale.top);
    ctx.lineTo(Math.round(scale.x(at)), scale.top + scale.height);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  const unitEnd = paintUnit(ctx, view.unit, scale, style);
  paintDays(ctx, view, scale, style);
  if (typeof now === "number" && now >= view.from && now <= view.to)
    paintNow(ctx, { at: now, text: view.nowText ?? "", from: unitEnd }, scale, style);
  ctx.restore();
}

/** Paints the unit above the value axis. Returns its right end. */
function paintUnit(ctx: CanvasRenderingContext2D, unit: string, scale: Scale, style: CSSStyleDeclaration): number {
  const { text, ratio } = scale;
  ctx.font = `${11 * text}px ${FONT}`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  ctx.fillStyle = style.getPropertyValue("--faint");
  ctx.fillText(unit, 2 * ratio, scale.top - 4 * ratio);
  return 2 * ratio + ctx.measureText(unit).width + 6 * text;
}

/** Paints the names of days below their hours. */
function paintDays(ctx: CanvasRenderingContext2D, view: LabelledView, scale: Scale, style: CSSStyleDeclaration): void {
  const { days = [] } = view;
  const isOnlyLine = view.ticks.every(({ text }) => text === "");
  ctx.font = `600 ${12 * scale.text}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  ctx.fillStyle = style.getPropertyValue("--soft");
  const middle = scale.top + scale.height + LINE_HEIGHT * (isOnlyLine ? 0.75 : 1.5) * scale.text;
  for (const { start, end, text } of days) {
    const [left, right] = [scale.x(start), scale.x(end)];
    ctx.fillText(shortened(ctx, text, right - left), (left + right) / 2, middle);
  }
}

interface NowMark {
  readonly at: number;
  readonly text: string;
  /** Minimum left position of the label. */
  readonly from: number;
}

function paintNow(
  ctx: CanvasRenderingContext2D,
  { at, text, from }: NowMark,
  scale: Scale,
  style: CSSStyleDeclaration,
): void {
  const { ratio } = scale;
  const x = scale.x(at);
  ctx.fillStyle = style.getPropertyValue("--ink");
  ctx.fillRect(x - ratio, scale.top - 2 * ratio, 2 * ratio, scale.height + 2 * ratio);
  ctx.font = `600 ${11 * scale.text}px ${FONT}`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  const width = ctx.measureText(text).width;
  const left = Math.min(scale.left + scale.width - width, Math.max(from, x - width / 2));
  ctx.fillText(text, left, scale.top - 4 * ratio);
}
