/** The ribbon of a plan, and the axis above the ribbons. */
import { type Interval, without } from "../../core/time/interval.ts";
import { Legend } from "../elements.tsx";
import { usePage } from "../page.ts";
import type { Plan } from "../store/answers.ts";
import { joinedRuns } from "./plan-words.ts";
import { percentIn, windowsIn } from "./ribbon.ts";

/** Hours between the labels of the axis. */
const AXIS_HOURS = 6;
/** Minimum distance of a label from the ends of the axis. Unit: percent. */
const AXIS_MARGIN = 4;

export interface RibbonLook {
  readonly range: Interval;
  /** Background with the levels of the prices. */
  readonly shades: string;
  /** Times whose prices are estimates. */
  readonly estimates: readonly Interval[];
}

/** The window of a plan with the prices as shades, and its runs. Its texts are in the row. */
export function Ribbon({
  plan,
  look: { range, shades, estimates },
}: {
  readonly plan: Plan;
  readonly look: RibbonLook;
}) {
  const { f, store } = usePage();
  const now = store.time.value;
  const place = ({ start, end }: Interval) => {
    const left = percentIn(range, start);
    return { left: `${left}%`, width: `${percentIn(range, end) - left}%` };
  };
  return (
    <span class="ribbon" aria-hidden="true" style={{ backgroundImage: shades }}>
      {estimates.map((each) => (
        <span key={each.start} class="ribbon-estimate" style={place(each)} />
      ))}
      {without(range, windowsIn(plan, range, f.calendar)).map((gap) => (
        <span key={gap.start} class="ribbon-closed" style={place(gap)} />
      ))}
      {joinedRuns(plan)
        .filter(({ start, end }) => end > range.start && start < range.end)
        .map((run) => (
          <span key={run.start} class={run.isLikely ? "ribbon-run likely" : "ribbon-run"} style={place(run)} />
        ))}
      <span class="ribbon-now" style={{ left: `${percentIn(range, now)}%` }} />
    </span>
  );
}

/** What colours and hatches of the ribbons mean. */
export function RibbonLegend() {
  const { t } = usePage();
  return (
    <Legend>
      {(["run", "likely", "closed"] as const).map((look) => (
        <span key={look} class={`level ribbon-key ${look}`}>
          {t(`ribbon_${look}`)}
        </span>
      ))}
    </Legend>
  );
}

export function RibbonAxis({ range }: { readonly range: Interval }) {
  const { t, f } = usePage();
  const { calendar } = f;
  const midnight = calendar.add("day", range.start, 1);
  const hours = calendar
    .startsIn("hour", range)
    .filter((at) => calendar.fieldsOf(at).hour % AXIS_HOURS === 0 && calendar.fold(at) !== 2);
  return (
    <div class="ribbon-axis faint" aria-hidden="true">
      {hours
        .map((at) => ({ at, left: percentIn(range, at) }))
        .filter(({ left }) => left > AXIS_MARGIN && left < 100 - AXIS_MARGIN)
        .map(({ at, left }) => (
          <span
            key={at}
            class={calendar.fieldsOf(at).hour % 12 === 0 ? undefined : "minor"}
            style={{ left: `${left}%` }}
          >
            {at === midnight ? t("tomorrow") : f.axisHour(at)}
          </span>
        ))}
    </div>
  );
}
