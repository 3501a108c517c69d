/** What was used, paid, sold and earned: by the hour of a day, the day of a month, the month of a year, the year. */
import { Chart } from "./chart.js";
import { button, choice, fill, h, icon, setText } from "./dom.js";
import { addedUp, averagePaid, MEASURES, totalOf } from "./energy.js";
import { barName, dateText, PERIODS, rangeOf, steppedFrom, ticksOf, titleOf } from "./use-period.js";
import { MAX_DAYS, UseReading } from "./use-reading.js";
import { DAY_MS, HOUR_MS } from "./zone.js";

/** A bar that lacks a larger share of its hours is hatched; of any other the read-out alone tells. */
const MAX_LACKING = 0.03;
/** A difference to the mean that is worth a word. */
const MIN_SHARE = 0.005;
const CUSTOM_DAYS = 30;
/** What is further down is read when somebody comes this near, not when the page opens. Unit: pixels. */
const NEAR = "400px";

export class UsePart {
  #root;
  #house;
  #t;
  #f;
  #part;
  #chart = null;
  #reading;
  #measure = "consumption";
  #period = { kind: "month", at: null, custom: null };
  /** Counts what was asked for: an answer to an earlier wish is not shown. */
  #turn = 0;
  #isSeen = false;
  /** What the facts that stand there are of. */
  #factsOf = "";

  constructor(root, { house, t, f }) {
    this.#root = root;
    this.#house = house;
    this.#t = t;
    this.#f = f;
    this.#reading = new UseReading(house);
    this.#part = this.#build();
    const near = ([entry]) => {
      if (!entry.isIntersecting || this.#isSeen) return;
      this.#isSeen = true;
      this.update();
    };
    new IntersectionObserver(near, { rootMargin: NEAR }).observe(root);
  }

  #build() {
    const t = this.#t;
    const step = (label, count, path) =>
      button({ class: "step", "aria-label": t(label), onclick: () => this.#step(count) }, icon(path));
    const part = {
      measures: h("div", {}),
      plot: h("div", { class: "plot", "data-empty": t("no_data_period") }),
      told: h("p", { class: "told", "aria-hidden": "true" }),
      title: h("p", { class: "period", "aria-live": "polite" }),
      facts: h("dl", { class: "facts" }),
      notes: h("div", { class: "notes" }),
      before: step("earlier", -1, "M15 5l-7 7 7 7"),
      after: step("later", 1, "M9 5l7 7-7 7"),
      custom: this.#customForm(),
    };
    const picker = choice({
      ...{ label: t("period"), name: "use-period", chosen: this.#period.kind },
      options: [...Object.keys(PERIODS), "custom"].map((value) => ({ value, text: t(`period_${value}`) })),
      onchoose: (kind) => this.#choosePeriod(kind),
    });
    const stepper = h("div", { class: "stepper" }, part.before, part.title, part.after);
    const head = h("div", { class: "head" }, h("h2", { id: "use-title" }, t("use")), part.measures);
    const card = [head, h("div", { class: "head" }, picker, stepper), part.custom, part.told, part.plot];
    fill(this.#root, h("div", { class: "card" }, ...card, part.notes, part.facts));
    this.#root.setAttribute("aria-labelledby", "use-title");
    return part;
  }

  #customForm() {
    const t = this.#t;
    const date = (name) => h("input", { id: `use-${name}`, name, type: "date", required: true });
    const units = ["hour", "day", "month"].map((unit) => h("option", { value: unit }, t(`by_${unit}`)));
    const fields = { from: date("from"), to: date("to"), by: h("select", { id: "use-by", name: "by" }, units) };
    const wrong = h("p", { class: "wrong", role: "alert" });
    const choose = (event) => {
      event.preventDefault();
      const custom = { from: fields.from.value, to: fields.to.value, by: fields.by.value };
      const days = (Date.parse(custom.to) - Date.parse(custom.from)) / DAY_MS;
      const fits = days >= 0 && days < MAX_DAYS;
      setText(wrong, fits ? "" : t("custom_wrong", { days: MAX_DAYS }));
      if (!fits) return;
      this.#period = { kind: "custom", at: null, custom };
      this.update();
    };
    const labelled = ([name, input]) =>
      h("div", { class: "setting" }, h("label", { for: `use-${name}` }, t(`custom_${name}`)), input);
    const show = h("button", { type: "submit", class: "strong" }, t("show"));
    return h(
      "form",
      { class: "settings", hidden: true, onsubmit: choose },
      Object.entries(fields).map(labelled),
      show,
      wrong,
    );
  }

  /** Forgets what was read: a home has new rows. */
  forget() {
    this.#reading.forget();
  }

  update() {
    const home = this.#house.currentHome;
    if (!home) return;
    const measures = Object.keys(MEASURES).filter((name) => home.capabilities?.[MEASURES[name].capability]);
    this.#root.hidden = measures.length === 0;
    if (measures.length === 0) return;
    if (!measures.includes(this.#measure)) this.#measure = measures[0];
    this.#showMeasures(measures);
    if (this.#isSeen) void this.#show(home);
  }

  #showMeasures(measures) {
    const shown = measures.join(" ");
    if (this.#part.measures.dataset.shown === shown) return;
    this.#part.measures.dataset.shown = shown;
    const picker = choice({
      ...{ label: this.#t("measure"), name: "use-measure", chosen: this.#measure },
      options: measures.map((value) => ({ value, text: this.#t(`measure_${value}`) })),
      onchoose: (value) => {
        this.#measure = value;
        this.update();
      },
    });
    fill(this.#part.measures, picker);
  }

  #choosePeriod(kind) {
    const { custom, at } = this.#period;
    this.#part.custom.hidden = kind !== "custom";
    const dates = kind === "custom" ? (custom ?? this.#suggestedDates()) : custom;
    this.#period = { kind, at: kind === "years" ? null : at, custom: dates };
    this.update();
  }

  #suggestedDates() {
    const { zone } = this.#f;
    const now = this.#house.now();
    const day = (days) => dateText(zone.shift("day", now, -days), zone);
    const dates = { from: day(CUSTOM_DAYS), to: day(1), by: "day" };
    for (const [name, value] of Object.entries(dates)) this.#part.custom.elements[name].value = value;
    return dates;
  }

  #step(count) {
    this.#period = steppedFrom(this.#period, count, this.#house.now(), this.#f.zone);
    this.update();
  }

  async #show(home) {
    const turn = ++this.#turn;
    const now = this.#house.now();
    const range = rangeOf(this.#period, now, this.#f.zone);
    const part = this.#part;
    setText(part.title, titleOf(this.#period, range, this.#f));
    part.before.hidden = part.after.hidden = this.#period.kind === "custom";
    part.after.disabled = range.to > now;
    this.#root.setAttribute("aria-busy", "true");
    try {
      const read = await this.#reading.rows(home, this.#measure, range, this.#f.zone);
      if (turn !== this.#turn) return;
      const bars = this.#barsOf(read.rows, range, now);
      this.#draw(home, bars, read.currency, range, now);
      await this.#showFacts(home, { ...read, bars, range, now }, () => turn === this.#turn);
    } catch (refusal) {
      if (turn === this.#turn) this.#showRefusal(refusal);
    }
    if (turn === this.#turn) this.#root.removeAttribute("aria-busy");
  }

  /** What has not been yet is not missing, and neither is today: a meter tells a day later. */
  #barsOf(rows, range, now) {
    const { zone } = this.#f;
    return addedUp(rows, range.unit, { ...range, until: Math.min(zone.startOf("day", now), range.to) }, zone);
  }

  #amount(value, currency) {
    return currency === null ? this.#f.energy(value) : this.#f.money(value, currency);
  }

  #draw(home, bars, currency, range, now) {
    const t = this.#t;
    const f = this.#f;
    const past = bars.filter((bar) => bar.start < now);
    const partial = (bar) => bar.value !== null && bar.missing * HOUR_MS > (bar.end - bar.start) * MAX_LACKING;
    this.#part.plot.classList.toggle(
      "empty",
      past.every(({ value }) => value === null),
    );
    this.#chart ??= new Chart(this.#part.plot);
    this.#chart.show({
      ...{ from: range.from, to: range.to, rest: null },
      bars: past.map((bar) => ({ ...bar, estimate: bar.estimate || partial(bar), kind: "use" })),
      ticksFor: (room) => ticksOf(range, room, f),
      valueText: (value) => f.number(value, value % 1 === 0 ? 0 : Math.abs(value) < 1 ? 2 : 1),
      label: t("chart_use", { measure: t(`measure_${this.#measure}`), home: home.name }),
      tell: (index) => this.#told(past[index], range.unit, currency).filter(Boolean).join(", "),
      onpick: (index) => this.#showTold(index === null ? null : this.#told(past[index], range.unit, currency)),
    });
  }

  /** A bar in words: when, how much, and what is to be said of it. */
  #told(bar, unit, currency) {
    const t = this.#t;
    const value = bar.value === null ? t("no_data") : this.#amount(bar.value, currency);
    const lacks = bar.value !== null && bar.missing > 0;
    const notes = [
      bar.estimate && t("estimate"),
      lacks && t("missing_hours", { count: bar.missing, hours: bar.missing }),
    ];
    return [barName(bar, unit, this.#f), value, notes.filter(Boolean).join(", ")];
  }

  #showTold(told) {
    if (!told) {
      fill(this.#part.told, h("span", { class: "soft" }, this.#t("point_at_chart")));
      return;
    }
    const [when, value, notes] = told;
    const strong = h("strong", { class: "number" }, value);
    fill(this.#part.told, h("span", { class: "told-when" }, when), strong, notes && h("span", { class: "tag" }, notes));
  }

  /** The sum at once, what was paid beside it when that is read; what stands there stays until it is known again. */
  async #showFacts(home, { rows, currency, bars, range, now }, isWanted) {
    const t = this.#t;
    const total = totalOf(bars);
    const facts = [
      [t(`total_${this.#measure}`), total.value === null ? t("no_data") : this.#amount(total.value, currency)],
    ];
    const notes = [];
    if (total.missing > 0 && total.value !== null)
      notes.push(t("missing_hours", { count: total.missing, hours: total.missing }));
    if (total.estimate) notes.push(t("has_estimates"));
    const shown = [home.id, this.#measure, range.from, range.to].join(" ");
    if (this.#factsOf !== shown) this.#fillFacts(facts, notes);
    this.#factsOf = shown;
    const isPriced = this.#measure === "consumption" || this.#measure === "costs";
    if (isPriced && home.capabilities?.consumptionCosts && range.unit !== "year" && total.value !== null) {
      const costs = this.#measure === "costs" ? { rows, currency } : await this.#costs(home, range);
      const paid = await this.#paid(home, costs, range, now);
      facts.push(...paid.facts);
      notes.push(...paid.notes);
    }
    if (isWanted()) this.#fillFacts(facts, notes);
  }

  #fillFacts(facts, notes) {
    const item = ([name, told]) => h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, told));
    fill(this.#part.facts, facts.map(item));
    fill(
      this.#part.notes,
      notes.map((note) => h("p", { class: "note quiet" }, note)),
    );
  }

  #costs(home, range) {
    return this.#reading.rows(home, "costs", range, this.#f.zone);
  }

  /** What a kWh cost on average, and what it would have cost at any time. */
  async #paid(home, { rows, currency }, range, now) {
    const t = this.#t;
    const { zone } = this.#f;
    const paid = averagePaid(rows);
    if (paid === null) return { facts: [], notes: [] };
    const perKwh = (value) => `${this.#f.money(value, currency)}/kWh`;
    const facts = [[t("average_paid"), perKwh(paid)]];
    const known = { from: range.from, to: Math.min(range.to, zone.startOf("day", now)) };
    const mean = await this.#reading.marketMean(home, known, zone);
    if (mean === null) return { facts, notes: [] };
    facts.push([t("market_mean"), perKwh(mean)]);
    const share = (paid - mean) / Math.abs(mean);
    if (mean <= 0 || Math.abs(share) < MIN_SHARE) return { facts, notes: [] };
    return {
      facts,
      notes: [t(share < 0 ? "paid_below" : "paid_above", { percent: this.#f.percent(Math.abs(share)) })],
    };
  }

  #showRefusal({ status, code, reason }) {
    const t = this.#t;
    const known = { true: "no_contact_short", rate_limited: "use_rate_limited" }[status === null ? "true" : code];
    fill(this.#part.notes, h("p", { class: "note wrong" }, known ? t(known) : t("use_refused", { reason })));
  }
}
