/** Component with a chart of intervals, whose values are read by mouse, touch and keyboard. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type ChartSize, frameOf } from "./chart-frame.ts";
import { Drawing } from "./chart-shapes.tsx";
import type { ChartBar, ChartView } from "./chart-view.ts";

const USUAL_TEXT_PX = 16;
const MIN_WIDTH = 200;
const MIN_HEIGHT = 120;
/** Bars by which a key moves the picked one. */
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

interface PlotProps {
  /** View of the chart; null for an empty place. */
  readonly view: ChartView | null;
  readonly isTall?: boolean;
  readonly isEmpty: boolean;
  /** Text in a chart without bars. */
  readonly emptyText?: string;
}

export function Plot({ view, isTall = false, isEmpty, emptyText }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<ChartSize | null>(null);
  useLayoutEffect(() => {
    const place = host.current;
    if (!place) return;
    const measure = () => {
      const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_TEXT_PX;
      const width = Math.max(MIN_WIDTH, place.clientWidth);
      // The lanes of plans make it higher.
      setSize({ width, height: Math.max(MIN_HEIGHT, Number.parseFloat(getComputedStyle(place).minHeight)), scale });
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(place);
    measure();
    return () => sizes.disconnect();
  }, []);
  return (
    <div ref={host} class={`plot${isTall ? " tall" : ""}${isEmpty ? " empty" : ""}`} data-empty={emptyText}>
      {view && size && <Chart view={view} size={size} />}
    </div>
  );
}

function Chart({ view, size }: { readonly view: ChartView; readonly size: ChartSize }) {
  const { bars, rest } = view;
  /** Start of the picked bar, which stays picked in a new view with a bar at the same time. */
  const [pickedAt, setPickedAt] = useState<number | null>(null);
  const { frame, drawing } = useMemo(() => {
    const frame = frameOf(view, size);
    return { frame, drawing: <Drawing frame={frame} /> };
  }, [view, size]);
  const found = pickedAt === null ? -1 : bars.findIndex(({ start }) => start === pickedAt);
  const picked = found < 0 ? null : found;
  const bar = bars[found];
  const read = picked ?? rest;
  useLayoutEffect(() => view.onPick(picked), [view]);

  const pick = (index: number | null) => {
    setPickedAt(index === null ? null : (bars[index]?.start ?? null));
    view.onPick(index);
  };
  const pickAt = ({ clientX, currentTarget }: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = view.from + ((clientX - left) / width) * (view.to - view.from);
    const after = bars.findIndex(({ start }) => start > at);
    pick(bars.length === 0 ? null : Math.max(0, (after < 0 ? bars.length : after) - 1));
  };
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    // Without a picked bar, Escape closes the dialog around the chart.
    if (step === undefined && (event.key !== "Escape" || picked === null)) return;
    event.preventDefault();
    pick(step === undefined ? null : Math.min(bars.length - 1, Math.max(0, (read ?? 0) + step)));
  };
  return (
    <>
      {drawing}
      <div
        class="over"
        role="slider"
        tabIndex={0}
        aria-label={view.label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={read ?? 0}
        aria-valuetext={read === null ? view.label : view.describe(read)}
        style={{
          left: `${frame.left}px`,
          top: `${frame.top}px`,
          width: `${frame.right - frame.left}px`,
          height: `${frame.bottom - frame.top}px`,
        }}
        onPointerMove={pickAt}
        onPointerDown={pickAt}
        onPointerLeave={(event) => event.pointerType === "mouse" && pick(null)}
        onBlur={() => pick(null)}
        onKeyDown={onKey}
      >
        {bar && <div class="pick" style={spanStyle(view, bar)} />}
      </div>
    </>
  );
}

/** Returns the place of the visible part of a bar in the area of the bars. */
function spanStyle({ from, to }: ChartView, { start, end }: ChartBar): { left: string; width: string } {
  const percent = (at: number) => ((Math.min(to, Math.max(from, at)) - from) / (to - from)) * 100;
  return { left: `${percent(start)}%`, width: `${percent(end) - percent(start)}%` };
}
