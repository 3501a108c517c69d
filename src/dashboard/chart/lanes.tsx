/** The runs of plans below the hours of a chart, each plan in a lane. They scroll, so that prices and hours stay in view. */
import { Icon } from "../elements.tsx";
import type { ChartFrame } from "./chart-frame.ts";

/** Number of lanes that always fit. With more, the keyboard reaches the list to scroll it. */
const FITTING = 4;

export function Lanes({ frame: { view, left, right, x, isNarrow } }: { readonly frame: ChartFrame }) {
  const { lanes = [], from, to, label } = view;
  const columns = { "--left": `${left}px`, "--width": `${right - left}px` };
  return (
    <ul class={isNarrow ? "lanes narrow" : "lanes"} {...(lanes.length > FITTING && { tabIndex: 0 })} aria-label={label}>
      {lanes.map(({ name, icon, kind, runs }, row) => (
        <li key={row} class="lane" style={{ ...columns, "--plan": `var(--${kind})` }}>
          <Icon path={icon} />
          <span>{name}</span>
          <div class="track">
            {runs.map(({ start, end, past, likely }) => {
              const first = x(Math.max(start, from));
              const place = { left: `${first - left}px`, width: `${x(Math.min(end, to)) - first}px` };
              return <i key={start} class={past ? "past" : likely ? "likely" : ""} style={place} />;
            })}
          </div>
        </li>
      ))}
    </ul>
  );
}
