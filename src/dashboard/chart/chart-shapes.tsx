/** Draws a chart as SVG, and the lanes below it. Screen readers skip the SVG: the slider above it has its texts. */
import { useId } from "preact/hooks";
import type { ChartFrame } from "./chart-frame.ts";
import { stackOf } from "./chart-view.ts";
import { Lanes } from "./lanes.tsx";

/** Minimum width of bars that have a gap between them. */
const APART_PX = 5;
/** Height of the mark of an unknown value. */
const GAP_PX = 4;
const BOLD_LETTER_PX = 7;
const MIN_LETTERS = 4;

export function Drawing({ frame }: { readonly frame: ChartFrame }) {
  const { view, width, height, left, top, right, bottom, scale, x, y } = frame;
  const zero = Math.round(y(0));
  return (
    <>
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
        <Now frame={frame} />
      </svg>
      {view.lanes && <Lanes frame={frame} />}
    </>
  );
}

/** Bars of the same look share a path. */
function Bars({ frame }: { readonly frame: ChartFrame }) {
  const id = useId();
  return (
    <>
      {[...looksOf(frame)].map(([look, path]) => {
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
function looksOf({ view, left, right, x, y }: ChartFrame): Map<string, string> {
  const paths = new Map<string, string>();
  const add = (look: string, shape: string) => paths.set(look, (paths.get(look) ?? "") + shape);
  for (const bar of view.bars) {
    const { start, end, value, estimate } = bar;
    if (end <= view.from || start >= view.to) continue;
    const past = typeof view.now === "number" && end <= view.now ? "past" : "";
    // Whole pixels, because the background would be visible between bars with fractions of a pixel.
    const first = Math.round(Math.max(left, x(start)));
    const width = Math.max(1, Math.round(Math.min(right, x(end))) - first);
    const gap = width > APART_PX ? 1 : 0;
    // An unknown value is a mark at the base line, which no known value looks like.
    if (value === null) add("faint sure", box(first, y(0) - GAP_PX / 2, width - gap, GAP_PX));
    for (const { kind, low, high } of stackOf(bar))
      add(
        `${kind} ${estimate ? "estimate" : "sure"} ${past}`,
        box(first, y(high), width - gap, Math.max(1, y(low) - y(high))),
      );
  }
  return paths;
}

function box(x: number, y: number, width: number, height: number): string {
  return `M${x} ${y.toFixed(1)}h${width}v${height.toFixed(1)}h${-width}z`;
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
