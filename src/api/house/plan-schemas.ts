/** Schemas of plans in bodies and responses. */
import { planIconNames } from "../../core/planning/model/plan-icons.ts";
import { planActions } from "../../core/planning/plan-commands.ts";
import { planStates } from "../../core/planning/plan-state-machine.ts";
import { type PlanSetting, planSettings, settingRows } from "../../core/planning/setting-rows.ts";
import { planCodes } from "../../core/planning/snapshot/plan-reason.ts";
import * as s from "../schema.ts";

const savingsIn = (unit: typeof s.money) =>
  ({
    against_now: s.described(s.orNull(unit), "Compared with starting now; null once the round has begun."),
    against_window_start: s.described(s.orNull(unit), "Compared with starting when the window opens."),
    against_mean: s.described(s.orNull(unit), "Compared with the mean price of the window."),
  }) as const;
const savings = () => savingsIn(s.money);
const savingsPerKwh = () => s.namedObject("SavingsPerKwh", savingsIn(s.perKwh));
const basis = () => s.named("RunBasis", s.oneOf(["prices", "estimates", "fallback", "manual", "resting", "at_once"]));
const measuredRun = () =>
  s.described(
    s.orNull(s.namedObject("MeasuredRun", { kwh: s.number, cost: s.orNull(s.money) })),
    "As the plugs of the plan measured it; null if they did not.",
  );
export const finishedFields = () =>
  ({
    ...s.period,
    basis: basis(),
    mean_price: s.orNull(s.perKwh),
    cost: s.orNull(s.money),
    measured: measuredRun(),
    ...savings(),
    per_kwh: savingsPerKwh(),
  }) as const;
const finished = () => s.namedObject("FinishedRun", finishedFields());
const monthCost = "Of the runs with known energy and prices, like the savings; null if none has them.";
export const monthFields = () =>
  ({
    start: s.instant,
    runs: s.integer,
    hours: s.number,
    cost: s.described(s.orNull(s.money), monthCost),
    ...savings(),
  }) as const;
const month = () => s.namedObject("PlanMonth", monthFields());
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
    provisional: s.described(s.boolean, "True while prices are missing that may move a planned run."),
    firm_at: s.described(s.orNull(s.instant), "When those prices are expected."),
    likely_start: s.described(s.orNull(s.instant), "The next run while it may move; `next_start` is null meanwhile."),
    likely_end: s.orNull(s.instant),
  }) as const;

export const statusProperties = () =>
  ({
    ...planned(),
    last_run: s.orNull(finished()),
    month: month(),
    month_before: month(),
    learned: s.described(
      s.orNull(s.namedObject("LearnedCourse", { runs: s.integer, kwh: s.number, profile: s.list(s.number) })),
      "Energy and course by quarter-hour that a plan with `learn` has learned; null if nothing.",
    ),
    settings: s.namedObject("PlanSettings", {
      ...ofSettings(() => s.optional(setting())),
      // Every plan has these two.
      max_price: setting(),
      enabled: setting(),
    }),
  }) as const;
export const identity = { id: s.text, name: s.text, home: s.text } as const;

const planProperties = () =>
  ({
    ...identity,
    icon: s.named("PlanIcon", s.oneOf(planIconNames)),
    kind: planKind(),
    ...statusProperties(),
    kwh: s.orNull(s.number),
    days: s.orNull(s.list(s.text)),
    after: s.orNull(s.text),
  }) as const;

export const planRow = () => s.namedObject("Plan", planProperties());

export const planPreview = () => s.namedObject("PlanPreview", { now: s.instant, ...planProperties() });

export const planDetail = () =>
  s.namedObject("PlanDetail", {
    now: s.instant,
    ...planProperties(),
    history: s.namedObject("PlanHistory", { runs: s.list(finished()), months: s.list(month()) }),
  });

export const waiting = () =>
  s.described(s.list(s.namedObject("WaitingPlan", { id: s.text, name: s.text })), "Plans whose home is not known yet.");

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

const forms = {
  number: s.number,
  amount: s.number,
  switch: s.boolean,
  days: s.list(s.text),
  away: s.strictObject({ from: s.text, until: s.text }),
} as const;

/** Value of a setting, the text of the same command over MQTT, or null for that of the configuration. */
export function settingChange(name: PlanSetting): s.Schema {
  const { form, examples } = settingRows[name];
  const schema = form === "time" ? s.orNull(s.localTime) : s.union([forms[form], s.text, s.nothing]);
  return examples ? s.noted(schema, { examples: [...examples] }) : schema;
}

function ofSettings<Value>(make: (name: PlanSetting) => Value): Readonly<Record<PlanSetting, Value>> {
  return Object.fromEntries(planSettings.map((name) => [name, make(name)])) as Record<PlanSetting, Value>;
}

export const planChange = () =>
  s.oneFitting([
    s.noted(s.strictObject(ofSettings((name) => s.optional(settingChange(name)))), {
      title: "PlanChange",
      description: "Settings; null resets a setting to the value in the file.",
      minProperties: 1,
    }),
    s.named("PlanCommand", s.strictObject({ command: s.oneOf(planActions) })),
  ]);

export type PlanAnswer = s.ValueOf<typeof planRow>;
