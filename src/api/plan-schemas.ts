/** Schemas of plans in bodies and responses. */
import { planActions } from "../core/planning/plan-commands.ts";
import { planCodes } from "../core/planning/plan-reason.ts";
import { planStates } from "../core/planning/plan-state-machine.ts";
import * as s from "./schema.ts";

const savingsIn = (unit: typeof s.money) =>
  ({
    against_now: s.described(s.orNull(unit), "Compared with starting now; null once the round has begun."),
    against_window_start: s.described(s.orNull(unit), "Compared with starting when the window opens."),
    against_mean: s.described(s.orNull(unit), "Compared with the mean price of the window."),
  }) as const;
const savings = () => savingsIn(s.money);
export const savingsPerKwh = () => s.namedObject("SavingsPerKwh", savingsIn(s.perKwh));
export const basis = () =>
  s.named("RunBasis", s.oneOf(["prices", "estimates", "fallback", "manual", "resting", "at_once"]));
export const measuredRun = () =>
  s.described(
    s.orNull(s.namedObject("MeasuredRun", { kwh: s.number, cost: s.orNull(s.money) })),
    "As the plugs of the plan measured it; null if they did not.",
  );
const finished = () =>
  s.namedObject("FinishedRun", {
    ...s.period,
    basis: basis(),
    mean_price: s.orNull(s.perKwh),
    cost: s.orNull(s.money),
    measured: measuredRun(),
    ...savings(),
    per_kwh: savingsPerKwh(),
  });
const month = () =>
  s.namedObject("PlanMonth", {
    start: s.instant,
    runs: s.integer,
    hours: s.number,
    cost: s.orNull(s.money),
    ...savings(),
  });
const settingValue = () => s.union([s.text, s.number, s.boolean, s.nothing]);
const setting = () =>
  s.namedObject("PlanSetting", {
    value: settingValue(),
    changed: s.described(s.boolean, "Whether it differs from the value in the file."),
    file: settingValue(),
  });
const planKind = () => s.named("PlanKind", s.oneOf(["window", "slots", "below", "avoid"]));

export const planned = () =>
  ({
    on: s.boolean,
    state: s.named("PlanState", s.oneOf(planStates)),
    reason: s.text,
    code: s.named("PlanCode", s.oneOf(planCodes)),
    runs: s.list(s.namedObject("PlannedRun", { ...s.period, basis: basis(), begun: s.boolean })),
    currency: s.orNull(s.text),
    mean_price: s.orNull(s.perKwh),
    cost: s.orNull(s.money),
    missing: s.orNull(
      s.namedObject("MissingHours", {
        hours: s.described(s.number, "Hours that could not be planned."),
        why: s.oneOf(["window_too_short", "blocked", "max_price", "constraints", "no_prices"]),
      }),
    ),
    saving: s.orNull(s.money),
    savings: s.namedObject("Savings", { ...savings(), per_kwh: savingsPerKwh() }),
    next_start: s.orNull(s.instant),
    next_end: s.orNull(s.instant),
  }) as const;

export const statusProperties = () =>
  ({
    ...planned(),
    last_run: s.orNull(finished()),
    month: month(),
    month_before: month(),
    learned: s.described(
      s.orNull(
        s.namedObject("LearnedCourse", {
          runs: s.integer,
          kwh: s.number,
          profile: s.list(s.number),
          frozen: s.boolean,
        }),
      ),
      "Energy and course by quarter-hour that a plan with `learn` has learned; null if nothing.",
    ),
    settings: s.namedObject("PlanSettings", {
      hours: s.optional(setting()),
      energy: s.optional(setting()),
      from: s.optional(setting()),
      ready_by: s.optional(setting()),
      max_price: setting(),
      enabled: setting(),
      up_to: s.optional(setting()),
      cheap_below: s.optional(setting()),
      percent: s.optional(setting()),
      days: s.optional(s.described(setting(), "Names of days with commas, such as mon,tue.")),
      tolerance: s.optional(setting()),
      min_saving: s.optional(setting()),
      soc_target: s.optional(setting()),
      soc_minimum: s.optional(setting()),
      away: s.optional(s.described(setting(), "Two local dates or times, such as 2026-07-01/2026-07-15T14:00.")),
    }),
  }) as const;
export const identity = { id: s.text, name: s.text, home: s.text } as const;

const planProperties = () =>
  ({
    ...identity,
    kind: planKind(),
    ...statusProperties(),
    kwh: s.orNull(s.number),
    days: s.orNull(s.list(s.text)),
    use_forecast: s.boolean,
    after: s.orNull(s.text),
    power_limit: s.orNull(s.text),
  }) as const;

export const planRow = () => s.namedObject("Plan", planProperties());

export const planPreview = () => s.namedObject("PlanPreview", { now: s.instant, ...planProperties() });

export const planSchema = () =>
  s.namedObject("PlanDetail", {
    now: s.instant,
    ...planProperties(),
    history: s.namedObject("PlanHistory", { runs: s.list(finished()), months: s.list(month()) }),
  });

export const waiting = () => s.described(s.list(s.text), "Ids of plans whose home is not known yet.");

export const oncePlan = () =>
  s.named(
    "OncePlan",
    s.described(
      s.object({
        once: s.noted(s.boolean, { enum: [true] }),
        within: s.optional(
          s.noted(s.union([s.number, s.text]), {
            description: "Hours from now on; 8 by default.",
            examples: [8, "90m"],
          }),
        ),
        plan: s.optional(s.text),
        home: s.optional(s.text),
        hours: s.optional(s.noted(s.union([s.number, s.text]), { examples: [2, "1h30m"] })),
      }),
      "`once` and `within`, with the `plan` of the appliance, or with `home` and settings as in the configuration.",
    ),
  );

/** A holiday: an object, the text of the same command over MQTT, or null for that of the configuration. */
export const awayChange = () =>
  s.noted(s.union([s.strictObject({ from: s.text, until: s.text }), s.text, s.nothing]), {
    examples: ["2026-07-01/2026-07-15", "off"],
  });

export const planChange = () => {
  const amount = s.union([s.number, s.text, s.nothing]);
  return s.oneFitting([
    s.noted(
      s.strictObject({
        hours: s.optional(s.noted(amount, { examples: [3, "1h30m"] })),
        energy: s.optional(amount),
        from: s.optional(s.orNull(s.localTime)),
        ready_by: s.optional(s.orNull(s.localTime)),
        max_price: s.optional(amount),
        enabled: s.optional(s.union([s.boolean, s.text, s.nothing])),
        up_to: s.optional(amount),
        cheap_below: s.optional(s.noted(amount, { examples: [1.2, "cheap", "30%"] })),
        percent: s.optional(amount),
        days: s.optional(s.noted(s.union([s.list(s.text), s.text, s.nothing]), { examples: [["mon", "tue"]] })),
        tolerance: s.optional(amount),
        min_saving: s.optional(s.noted(amount, { examples: [0.2, "10%"] })),
        soc_target: s.optional(amount),
        soc_minimum: s.optional(amount),
        away: s.optional(awayChange()),
      }),
      {
        title: "PlanChange",
        description: "Settings; null resets a setting to the value in the file.",
        minProperties: 1,
      },
    ),
    s.named("PlanCommand", s.strictObject({ command: s.oneOf(planActions) })),
  ]);
};

export type PlanAnswer = s.ValueOf<typeof planRow>;
