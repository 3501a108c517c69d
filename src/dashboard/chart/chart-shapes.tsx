/** Draws a chart as SVG. Screen readers skip it: the slider above it has its texts. */
import { useId } from "preact/hooks";
import type { ChartFrame } from "./chart-frame.ts";
import type { ChartLane } from "./chart-view.ts";

/**
 * Minimum width of a bar. Below it, columns of a pixel show the range of their values lightly, and the mean in full
 * colour.
 */
const MIN_BAR_PX = 0.5;
/** Minimum width of bars that have a gap between them. */
const APART_PX = 5;
const MIN_RUN_PX = 3;
/** Estimated width of a letter of 11 and 12 px. */
const LETTER_PX = 6;
const BOLD_LETTER_PX = 7;
const MIN_LETTERS = 4;

export function Drawing({ frame }: { readonly frame: ChartFrame }) {
  const { view, width, height, left, top, right, bottom, scale, x, y } = frame;
  const zero = Math.round(y(0));
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" style={{ fontSize: `${11 * scale}px` }}>
      <text class="unit" x={2} y={top - 4}>
        {view.unit}
      </text>
      {frame.values.map((value) => (
        <g key={value} class="value">
          <path d={`M${left} ${Math.round(y(value)) + 0.5}H${right}`} />
          <text x={left - 4} y={y(value)}>
            {view.valueText(value)}
          </text>
        </g>
      ))}
      <Bars frame={frame} />
      <path class="zero" d={`M${left} ${zero}H${right}`} />
      {frame.ticks.map(({ at, text, strong }) => (
        <g key={at} class="tick">
          {strong && at > view.from && at < view.to && <path d={`M${Math.round(x(at))} ${top}V${bottom}`} />}
          <text x={x(at)} y={bottom + 12 * scale}>
            {text}
          </text>
        </g>
      ))}
      {view.days?.map(({ start, end, text }) => (
        <text key={start} class="day" x={(x(start) + x(end)) / 2} y={frame.daysMiddle}>
          {shortened(text, (x(end) - x(start)) / (BOLD_LETTER_PX * scale))}
        </text>
      ))}
      {view.lanes?.map((lane, row) => (
        <Lane key={row} frame={frame} lane={lane} middle={frame.lanesTop + (row + 0.5) * frame.lane} />
      ))}
      <Now frame={frame} />
    </svg>
  );
}

/** Returns the visible part of an interval. */
function spanOf({ left, right, x }: ChartFrame, { start, end }: { readonly start: number; readonly end: number }) {
  const first = Math.max(left, x(start));
  return { x: first, width: Math.max(2, Math.min(right, x(end)) - first) };
}

/** Bars of the same look share a path. */
function Bars({ frame }: { readonly frame: ChartFrame }) {
  const id = useId();
  const { view, left, right } = frame;
  const isDense = view.bars.length * MIN_BAR_PX > right - left;
  const looks = [...(isDense ? denseLooks(frame) : looksOf(frame))];
  return (
    <>
      {looks.map(([look, path]) => {
        const [kind = "", sureness, age] = look.split(" ");
        const fill = `var(--${kind})`;
        const pattern = `${id}-${kind}`;
        return (
          <g key={look}>
            {sureness === "estimate" && (
              <pattern id={pattern} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width={6} height={6} fill={fill} opacity={0.22} />
                <rect width={1.6} height={6} fill={fill} />
              </pattern>
            )}
            <path class={age} d={path} fill={sureness === "estimate" ? `url(#${pattern})` : fill} />
          </g>
        );
      })}
    </>
  );
}

/** Returns the shape of the bars by their look: kind, `estimate` or `sure`, and `past` or nothing. */
function looksOf({ view, left, right, top, bottom, x, y }: ChartFrame): Map<string, string> {
  const zero = y(0);
  const paths = new Map<string, string>();
  for (const { start, end, value, kind, estimate } of view.bars) {
    if (end <= view.from || start >= view.to) continue;
    const past = typeof view.now === "number" && end <= view.now ? "past" : "";
    const look = value === null ? "gap estimate" : `${kind} ${estimate ? "estimate" : "sure"} ${past}`;
    // Whole pixels, because the background would be visible between bars with fractions of a pixel.
    const first = Math.round(Math.max(left, x(start)));
    const width = Math.round(Math.min(right, x(end))) - first;
    const gap = width > APART_PX ? 1 : 0;
    const length = value === null ? 0 : Math.max(1, Math.abs(y(value) - zero));
    const shape =
      value === null ? box(first, top, width, bottom - top) : box(first, Math.min(zero, y(value)), width - gap, length);
    paths.set(look, (paths.get(look) ?? "") + shape);
  }
  return paths;
}

/** Returns the range and the mean of the values in each column of a pixel, as two shapes. */
function denseLooks({ view, left, right, y }: ChartFrame): [string, string][] {
  const count = Math.max(1, Math.floor(right - left));
  const columns: (number[] | undefined)[] = [];
  for (const { start, value } of view.bars) {
    const place = Math.floor(((start - view.from) / (view.to - view.from)) * count);
    if (value === null || place < 0 || place >= count) continue;
    columns[place] ??= [];
    columns[place].push(value);
  }
  const zero = y(0);
  let reach = "";
  let mean = "";
  columns.forEach((values, place) => {
    if (!values) return;
    const highest = y(Math.max(0, ...values));
    reach += box(left + place, highest, 1, y(Math.min(0, ...values)) - highest);
    const middle = y(values.reduce((sum, value) => sum + value, 0) / values.length);
    mean += box(left + place, Math.min(zero, middle), 1, Math.abs(middle - zero));
  });
  const kind = view.bars.find(({ value }) => value !== null)?.kind ?? "use";
  return [
    [`${kind} sure past`, reach],
    [`${kind} sure`, mean],
  ];
}

function box(x: number, y: number, width: number, height: number): string {
  return `M${x} ${y.toFixed(1)}h${width}v${height.toFixed(1)}h${-width}z`;
}

/** The runs of a plan. Its name stands after the last run or before the first one, so that it covers no run. */
function Lane({
  frame,
  lane: { name, runs },
  middle,
}: Readonly<{ frame: ChartFrame; lane: ChartLane; middle: number }>) {
  const { view, left, right, scale, x } = frame;
  const shown = runs.filter(({ start, end }) => end > view.from && start < view.to);
  const height = frame.hasNames ? frame.lane - 8 * scale : frame.lane * 0.7;
  const after = x(shown.at(-1)?.end ?? view.from) + 6 * scale;
  const before = x(shown[0]?.start ?? view.from) - 6 * scale;
  const isAfter = right - after >= Math.min(before - left, name.length * LETTER_PX * scale);
  const letters = (isAfter ? right - after : before - left) / (LETTER_PX * scale);
  return (
    <g class="lane">
      <path d={`M${left} ${Math.round(middle) + 0.5}H${right}`} />
      {shown.map((run) => {
        const span = spanOf(frame, run);
        const width = Math.max(MIN_RUN_PX, span.width);
        const look = run.past ? "past" : run.likely ? "likely" : undefined;
        return (
          <rect key={run.start} {...span} y={middle - height / 2} {...{ width, height }} rx={height / 2} class={look} />
        );
      })}
      {frame.hasNames && shown.length > 0 && (
        <text x={isAfter ? after : before} y={middle} text-anchor={isAfter ? "start" : "end"}>
          {shortened(name, letters)}
        </text>
      )}
    </g>
  );
}

/** Returns a name shortened to a number of letters; empty if fewer than 4 fit. */
function shortened(name: string, letters: number): string {
  if (name.length <= letters) return name;
  return letters - 1 < MIN_LETTERS ? "" : `${name.slice(0, letters - 1).trimEnd()}…`;
}

/** The line of the current time, and its label, which does not cover the unit. */
function Now({ frame: { view, left, right, top, bottom, scale, x } }: { readonly frame: ChartFrame }) {
  const { now, nowText = "" } = view;
  if (typeof now !== "number" || now < view.from || now > view.to) return null;
  const half = (nowText.length * BOLD_LETTER_PX * scale) / 2;
  const least = Math.max(left, (view.unit.length + 1) * BOLD_LETTER_PX * scale) + half;
  return (
    <g class="now">
      <rect x={x(now) - 1} y={top - 2} width={2} height={bottom - top + 2} />
      <text x={Math.min(right - half, Math.max(least, x(now)))} y={top - 4}>
        {nowText}
      </text>
    </g>
  );
}
