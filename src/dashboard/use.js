/** What was used, paid, sold and earned: by the hour of a day, the day of a month, the month of a year, the year. */
import { Chart } from "./chart.js";
import { button, choice, fill, h, icon, setText } from "./dom.js";
import { addedUp, averagePaid, MEASURES, rowsOf, totalOf } from "./energy.js";
import { DAY_MS } from "./zone.js";

/** What is looked at, and by what it is split. */
const PERIODS = { day: "hour", month: "day", year: "month", years: "year" };
const YEARS_SHOWN = 5;
/** More than this at once no operation of the service answers. */
const MOST_DAYS = 366;
/** The same for prices by the quarter. */
const MOST_QUARTER_DAYS = 90;
const LABEL_PX = 34;
/** Answers kept, so that going back and forth asks for nothing. */
const MOST_KEPT = 24;

export class UsePart {
  #root;
  #house;
  #t;
  #f;
  #part;
  #chart = null;
  #measure = "consumption";
  #period = "month";
  /** An instant in what is looked at; null is the newest. */
  #at = null;
  #custom = null;
  #kept = new Map();
  #turn = 0;
  #seen = false;

  constructor(root, { house, t, f }) {
    this.#root = root;
    this.#house = house;
    this.#t = t;
    this.#f = f;
    this.#part = this.#build();
    // What is further down is read when somebody comes near, not when the page opens.
    new IntersectionObserver(
      ([entry]) => {
        if (!entry.isIntersecting || this.#seen) return;
        this.#seen = true;
        this.update();
      },
      { rootMargin: "400px" },
    ).observe(root);
  }

  #build() {
    const t = this.#t;
    const part = {
      measures: h("div", {}),
      plot: h("div", { class: "plot" }),
      told: h("p", { class: "told", "aria-hidden": "true" }),
      title: h("p", { class: "period", "aria-live": "polite" }),
      facts: h("dl", { class: "facts" }),
      notes: h("div", { class: "notes" }),
      before: button(
        { class: "step", "aria-label": t("earlier"), onclick: () => this.#step(-1) },
        icon("M15 5l-7 7 7 7"),
      ),
      after: button({ class: "step", "aria-label": t("later"), onclick: () => this.#step(1) }, icon("M9 5l7 7-7 7")),
      custom: null,
    };
    const periods = [...Object.keys(PERIODS), "custom"].map((value) => ({ value, text: t(`period_${value}`) }));
    const picker = choice({
      label: t("period"),
      name: "use-period",
      options: periods,
      chosen: this.#period,
      onchoose: (value) => this.#choosePeriod(value),
    });
    part.custom = this.#customForm();
    fill(
      this.#root,
      h(
        "div",
        { class: "card" },
        h("div", { class: "head" }, h("h2", { id: "use-title" }, t("use")), part.measures),
        h("div", { class: "head" }, picker, h("div", { class: "stepper" }, part.before, part.title, part.after)),
        ...[part.custom, part.told, part.plot, part.notes, part.facts],
      ),
    );
    this.#root.setAttribute("aria-labelledby", "use-title");
    return part;
  }

  #customForm() {
    const t = this.#t;
    const field = (name, type = "date") => h("input", { id: `use-${name}`, name, type, required: true });
    const [from, to] = [field("from"), field("to")];
    const by = h(
      "select",
      { id: "use-by", name: "by" },
      ["hour", "day", "month"].map((unit) => h("option", { value: unit }, t(`by_${unit}`))),
    );
    const labelled = (name, input) =>
      h("div", { class: "setting" }, h("label", { for: `use-${name}` }, t(`custom_${name}`)), input);
    const wrong = h("p", { class: "wrong", role: "alert" });
    const form = h(
      "form",
      {
        class: "settings",
        hidden: true,
        onsubmit: (event) => {
          event.preventDefault();
          const days = (Date.parse(to.value) - Date.parse(from.value)) / DAY_MS;
          const fits = days >= 0 && days < MOST_DAYS;
          setText(wrong, fits ? "" : t("custom_wrong", { days: MOST_DAYS }));
          if (!fits) return;
          this.#custom = { from: from.value, to: to.value, by: by.value };
          this.update();
        },
      },
      ...[
        labelled("from", from),
        labelled("to", to),
        labelled("by", by),
        h("button", { type: "submit", class: "strong" }, t("show")),
        wrong,
      ],
    );
    return form;
  }

  /** Forgets what was read: a home has new rows, or another home is shown. */
  forget() {
    this.#kept.clear();
  }

  update() {
    const home = this.#house.currentHome;
    if (!home) return;
    const measures = Object.keys(MEASURES).filter((name) => home.capabilities?.[MEASURES[name].capability]);
    this.#root.hidden = measures.length === 0;
    if (measures.length === 0) return;
    if (!measures.includes(this.#measure)) this.#measure = measures[0];
    this.#showMeasures(measures);
    if (this.#seen) void this.#show(home);
  }

  #showMeasures(measures) {
    const shown = `${measures} ${this.#measure}`;
    if (this.#part.measures.dataset.shown === shown) return;
    this.#part.measures.dataset.shown = shown;
    const options = measures.map((value) => ({ value, text: this.#t(`measure_${value}`) }));
    const onchoose = (value) => {
      this.#measure = value;
      this.#part.measures.dataset.shown = `${measures} ${value}`;
      this.update();
    };
    fill(
      this.#part.measures,
      choice({ label: this.#t("measure"), name: "use-measure", options, chosen: this.#measure, onchoose }),
    );
  }

  #choosePeriod(period) {
    this.#period = period;
    this.#part.custom.hidden = period !== "custom";
    if (period === "custom" && !this.#custom) this.#suggestCustom();
    this.update();
  }

  #suggestCustom() {
    const { zone } = this.#f;
    const text = (at) => {
      const { year, month, day } = zone.fields(at);
      return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
    };
    const now = this.#house.now();
    const [from, to, by] = ["from", "to", "by"].map((name) => this.#part.custom.elements[name]);
    from.value = text(zone.shift("day", now, -30));
    to.value = text(zone.shift("day", now, -1));
    by.value = "day";
    this.#custom = { from: from.value, to: to.value, by: "day" };
  }

  #step(count) {
    const unit = this.#period === "years" ? "year" : this.#period;
    this.#at = this.#f.zone.shift(unit, this.#range().from, count * (this.#period === "years" ? YEARS_SHOWN : 1));
    this.update();
  }

  /** What is looked at. The newest day is yesterday: a meter tells a day later. */
  #range() {
    const { zone } = this.#f;
    const now = this.#house.now();
    if (this.#period === "custom") {
      const start = (text) => zone.instant(...text.split("-").map(Number));
      const { from, to, by } = this.#custom;
      return { from: start(from), to: zone.shift("day", start(to), 1), unit: by };
    }
    const yesterday = zone.shift("day", now, -1);
    const at = this.#at ?? yesterday;
    if (this.#period === "years") {
      const last = zone.startOf("year", this.#at === null ? yesterday : zone.shift("year", at, YEARS_SHOWN - 1));
      return { from: zone.shift("year", last, 1 - YEARS_SHOWN), to: zone.shift("year", last, 1), unit: "year" };
    }
    return { from: zone.startOf(this.#period, at), to: zone.shift(this.#period, at, 1), unit: PERIODS[this.#period] };
  }

  async #show(home) {
    const turn = ++this.#turn;
    const range = this.#range();
    const now = this.#house.now();
    this.#showTitle(range);
    this.#part.before.hidden = this.#part.after.hidden = this.#period === "custom";
    this.#part.after.disabled = range.to > now;
    this.#root.setAttribute("aria-busy", "true");
    try {
      const rows = await this.#rows(home, this.#measure, range);
      if (turn !== this.#turn) return;
      this.#draw(home, rows, range, now);
      await this.#showFacts(home, rows, range, now, turn);
    } catch (refusal) {
      if (turn === this.#turn) this.#showRefusal(refusal);
    }
    if (turn === this.#turn) this.#root.removeAttribute("aria-busy");
  }

  /** Hours where they are on the shelf; years as the service adds them up. */
  async #rows(home, name, { from, to, unit }) {
    const measure = MEASURES[name];
    const aggregation = unit === "year" ? "year" : "hour";
    const query = new URLSearchParams({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      aggregation,
    });
    return await this.#keep(`${home.id} ${name} ${query}`, async () => {
      const path = `consumer/v1/me/addresses/${home.address_id}/${measure.path}?${query}`;
      const answer = await this.#house.get(path);
      return { rows: rowsOf(measure, answer), currency: answer.currency ?? null };
    });
  }

  async #keep(name, read) {
    const known = this.#kept.get(name);
    if (known) return known;
    const value = await read();
    this.#kept.set(name, value);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value);
    return value;
  }

  #draw(home, { rows, currency }, range, now) {
    const t = this.#t;
    const { zone } = this.#f;
    const bars = addedUp(rows, range.unit, { ...range, until: Math.min(zone.startOf("day", now), range.to) }, zone);
    const past = bars.filter((bar) => bar.start < now);
    const text = (value) => (currency === null ? this.#f.energy(value) : this.#f.money(value, currency));
    const tell = (bar) => {
      const value = bar.value === null ? t("no_data") : text(bar.value);
      const notes = [
        bar.estimate && t("estimate"),
        bar.value !== null && bar.missing > 0 && t("missing_hours", { count: bar.missing, hours: bar.missing }),
      ];
      return { when: this.#when(bar, range.unit), value, notes: notes.filter(Boolean).join(", ") };
    };
    this.#part.plot.classList.toggle(
      "empty",
      past.every(({ value }) => value === null),
    );
    this.#part.plot.dataset.empty = t("no_data_period");
    this.#chart ??= new Chart(this.#part.plot);
    this.#chart.show({
      ...{ from: range.from, to: range.to, now: null },
      bars: past.map(({ start, end, value, estimate, missing }) => ({
        ...{ start, end, value, estimate: estimate || (range.unit !== "hour" && missing > 0) },
        kind: "use",
      })),
      ticks: this.#ticks(range),
      valueText: (value) =>
        this.#f.number(value, value !== 0 && Math.abs(value) < 1 ? 2 : Math.abs(value) < 10 && value % 1 !== 0 ? 1 : 0),
      label: t("chart_use", { measure: t(`measure_${this.#measure}`), home: home.name }),
      rest: null,
      tell: (index) => Object.values(tell(past[index])).filter(Boolean).join(", "),
      onpick: (index) => {
        const told = index === null ? null : tell(past[index]);
        fill(
          this.#part.told,
          told
            ? [
                h("span", { class: "told-when" }, told.when),
                h("strong", { class: "number" }, told.value),
                told.notes && h("span", { class: "tag" }, told.notes),
              ]
            : h("span", { class: "soft" }, t("point_at_chart")),
        );
      },
    });
    this.#bars = bars;
    this.#text = text;
  }

  #bars = [];
  #text = String;

  async #showFacts(home, { rows, currency }, range, now, turn) {
    const t = this.#t;
    const total = totalOf(this.#bars);
    const facts = [[t(`total_${this.#measure}`), total.value === null ? t("no_data") : this.#text(total.value)]];
    const notes = [];
    if (total.missing > 0 && total.value !== null)
      notes.push(t("missing_hours", { count: total.missing, hours: total.missing }));
    if (total.estimate) notes.push(t("has_estimates"));
    const show = () => {
      fill(
        this.#part.facts,
        facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, value))),
      );
      fill(
        this.#part.notes,
        notes.map((note) => h("p", { class: "note quiet" }, note)),
      );
    };
    show();
    const priced =
      home.capabilities?.consumptionCosts && (this.#measure === "consumption" || this.#measure === "costs");
    if (!priced || range.unit === "year" || total.value === null) return;
    const costs = this.#measure === "costs" ? { rows, currency } : await this.#rows(home, "costs", range);
    const paid = averagePaid(costs.rows);
    if (turn !== this.#turn || paid === null) return;
    facts.push([t("average_paid"), `${this.#f.money(paid, costs.currency)}/kWh`]);
    show();
    const mean = await this.#marketMean(home, {
      from: range.from,
      to: Math.min(range.to, this.#f.zone.startOf("day", now)),
    });
    if (turn !== this.#turn || mean === null) return;
    facts.push([t("market_mean"), `${this.#f.money(mean, costs.currency)}/kWh`]);
    const share = (paid - mean) / Math.abs(mean);
    if (mean > 0 && Math.abs(share) >= 0.005)
      notes.push(t(share < 0 ? "paid_below" : "paid_above", { percent: this.#f.percent(Math.abs(share)) }));
    show();
  }

  /** The plain mean of the prices of a stretch, read in parts that the service answers. */
  async #marketMean(home, { from, to }) {
    const { zone } = this.#f;
    const most = home.resolution === "hour" ? MOST_DAYS : MOST_QUARTER_DAYS;
    let sum = 0;
    let length = 0;
    for (let start = from; start < to; start = zone.shift("day", start, most)) {
      const end = Math.min(to, zone.shift("day", start, most));
      const query = new URLSearchParams({
        from: new Date(start).toISOString(),
        to: new Date(end).toISOString(),
        resolution: home.resolution,
      });
      const part = await this.#keep(`${home.id} prices ${query}`, async () => {
        const answer = await this.#house.get(`consumer/v1/me/addresses/${home.address_id}/prices?${query}`);
        const spans = answer.data
          .filter((row) => typeof row.totalPricePerKWh === "number")
          .map((row) => [row.totalPricePerKWh, Date.parse(row.end) - Date.parse(row.start)]);
        return {
          sum: spans.reduce((total, [price, ms]) => total + price * ms, 0),
          length: spans.reduce((total, [, ms]) => total + ms, 0),
        };
      });
      sum += part.sum;
      length += part.length;
    }
    return length > 0 ? sum / length : null;
  }

  #showRefusal({ status, code, reason }) {
    const word = status === null ? "no_contact_short" : code === "rate_limited" ? "use_rate_limited" : null;
    fill(this.#part.notes, h("p", { class: "note wrong" }, word ? this.#t(word) : this.#t("use_refused", { reason })));
  }

  #showTitle({ from, to }) {
    const f = this.#f;
    const titles = {
      day: () => f.longDay(from),
      month: () => f.month(from),
      year: () => f.year(from),
      years: () => `${f.year(from)}–${f.year(to - DAY_MS)}`,
      custom: () => `${f.day(from)} – ${f.day(to - DAY_MS)}`,
    };
    setText(this.#part.title, titles[this.#period]());
  }

  #when({ start, end }, unit) {
    const f = this.#f;
    if (unit === "hour") return `${f.day(start)} ${f.span(start, end)}`;
    if (unit === "day") return f.day(start);
    return unit === "month" ? f.month(start) : f.year(start);
  }

  #ticks({ from, to, unit }) {
    const f = this.#f;
    const room = Math.max(4, Math.floor(this.#part.plot.clientWidth / LABEL_PX));
    const span = unit === "hour" && to - from > 2 * DAY_MS ? (to - from > 62 * DAY_MS ? "month" : "day") : unit;
    const by = span === "day" && to - from > 62 * DAY_MS ? "month" : span;
    const starts = f.zone.starts(by, from, to);
    const text = {
      hour: (at) => f.hour(at),
      day: (at) => f.dayOfMonth(at),
      month: (at) => f.monthName(at),
      year: (at) => f.year(at),
    }[by];
    const step = [1, 2, 3, 4, 5, 6, 7, 12, 14].find((each) => starts.length / each <= room) ?? 31;
    return starts.filter((_, i) => i % step === 0).map((at) => ({ at, text: text(at) }));
  }
}
