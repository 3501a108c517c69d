/** Prices of today, tomorrow and the days that are estimated, as bars; the runs of plans below them. */
import { Chart } from "./chart.js";
import { choice, fill, h, setText } from "./dom.js";
import { levelLegend, levelMark } from "./now.js";
import { joinedRuns } from "./plan-words.js";
import { covers, figuresOf, indexAt, within } from "./timeline.js";
import { DAY_MS, HOUR_MS } from "./zone.js";

/** The service has tomorrow's prices about this time. */
const PUBLISHED_HOUR = 13;
const MAX_LANES = 6;

export class PricesPart {
  #root;
  #house;
  #t;
  #f;
  #chart;
  #part;
  #range = "both";
  #view = null;

  constructor(root, { house, t, f }) {
    this.#root = root;
    this.#house = house;
    this.#t = t;
    this.#f = f;
    this.#part = this.#build();
    this.#chart = new Chart(this.#part.plot);
  }

  #build() {
    const t = this.#t;
    const part = {
      plot: h("div", { class: "plot tall" }),
      told: h("p", { class: "told", "aria-hidden": "true" }),
      notes: h("div", { class: "notes" }),
      figures: h("p", { class: "faint figures" }),
      table: h(
        "details",
        { class: "table", ontoggle: () => this.#showTable() },
        h("summary", {}, t("as_table")),
        h("div", {}),
      ),
      legend: h("p", { class: "legend" }, levelLegend(t), h("span", { class: "level hatch" }, t("estimate"))),
    };
    const ranges = ["today", "tomorrow", "both", "week"].map((value) => ({ value, text: t(`range_${value}`) }));
    const picker = choice({
      ...{ label: t("range"), name: "price-range", options: ranges, chosen: this.#range },
      onchoose: (value) => {
        this.#range = value;
        this.update();
      },
    });
    fill(
      this.#root,
      h(
        "div",
        { class: "card" },
        h("div", { class: "head" }, h("h2", { id: "prices-title" }, t("prices")), picker),
        ...[part.told, part.plot, part.notes, part.legend, part.figures, part.table],
      ),
    );
    this.#root.setAttribute("aria-labelledby", "prices-title");
    return part;
  }

  update() {
    const home = this.#house.currentHome;
    const prices = home && this.#house.prices.get(home.id);
    if (!prices) return;
    const now = this.#house.now();
    const { from, to } = this.#bounds(prices.points, now);
    const points = prices.points.filter((point) => point.end > from && point.start < to);
    this.#view = { points, currency: prices.currency, now, from, to };
    const present = indexAt(points, now);
    this.#part.plot.classList.toggle("empty", points.length === 0);
    this.#chart.show({
      ...{ from, to, now: now >= from && now < to ? now : null, nowText: this.#t("now_mark") },
      bars: points.map(({ start, end, price, level, estimate }) => ({
        start,
        end,
        value: price,
        kind: level,
        estimate,
      })),
      ticksFor: (room) => this.#ticks(from, to, room),
      lanes: this.#lanes(home, from, to, now),
      valueText: (value) => this.#f.number(value, Math.abs(value) >= 10 ? 0 : 2).replace(/([.,]\d)0$/, "$1"),
      label: this.#t("chart_prices", { home: home.name }),
      rest: present < 0 ? null : present,
      tell: (index) => this.#tell(points[index]),
      onpick: (index) => this.#showTold(index ?? (present < 0 ? null : present)),
    });
    this.#showNotes(prices, now, points);
    this.#showTable();
  }

  #bounds(points, now) {
    const { zone } = this.#f;
    const today = zone.startOf("day", now);
    const tomorrow = zone.shift("day", now, 1);
    const after = zone.shift("day", now, 2);
    const last = Math.max(after, points.at(-1)?.end ?? after);
    const bounds = { today: [today, tomorrow], tomorrow: [tomorrow, after], both: [today, after], week: [today, last] };
    const [from, to] = bounds[this.#range];
    return { from, to };
  }

  /** Hours for a day or two, days for a week: as many as there is room for, and every midnight. */
  #ticks(from, to, room) {
    const { zone } = this.#f;
    if (to - from > 3 * DAY_MS)
      return zone.starts("day", from, to).map((at) => ({ at, text: this.#f.weekday(at), strong: true }));
    const hours = (to - from) / HOUR_MS;
    const step = [1, 2, 3, 4, 6, 12].find((each) => hours / each <= room) ?? 12;
    return zone
      .starts("hour", from, to)
      .filter((at) => zone.fields(at).hour % step === 0 && (step === 1 || zone.fold(at) !== 2))
      .map((at) => {
        const midnight = zone.fields(at).hour === 0;
        return { at, text: midnight ? this.#f.weekday(at) : this.#f.hour(at), strong: midnight };
      });
  }

  #lanes(home, from, to, now) {
    return (this.#house.plans ?? [])
      .filter((plan) => plan.home === home.id)
      .map((plan) => ({
        name: plan.name,
        runs: joinedRuns(plan)
          .filter((run) => run.end > from && run.start < to)
          .map((run) => ({ ...run, past: run.end <= now })),
      }))
      .filter(({ runs }) => runs.length > 0)
      .slice(0, MAX_LANES);
  }

  #when(point) {
    const fold = this.#f.zone.fold(point.start);
    const clock = fold === 0 ? "" : ` (${this.#t(fold === 1 ? "first_time" : "second_time")})`;
    return `${this.#f.day(point.start)} ${this.#f.span(point.start, point.end)}${clock}`;
  }

  #tell(point) {
    if (!point) return this.#t("no_price");
    const { currency } = this.#view;
    const estimate = point.estimate ? `, ${this.#t("estimate")}` : "";
    return `${this.#when(point)}: ${this.#f.money(point.price, currency)}/kWh, ${this.#t(`level_${point.level}`)}${estimate}`;
  }

  #showTold(index) {
    const point = index === null ? null : this.#view.points[index];
    if (!point) {
      fill(this.#part.told, h("span", { class: "soft" }, this.#t("point_at_chart")));
      return;
    }
    fill(
      this.#part.told,
      h("span", { class: "told-when" }, this.#when(point)),
      h("strong", { class: "number" }, `${this.#f.money(point.price, this.#view.currency)}/kWh`),
      levelMark(point.level, this.#t),
      point.estimate && h("span", { class: "tag" }, this.#t("estimate")),
    );
  }

  /** What is not there, and what is odd about the day. */
  #showNotes({ points, currency }, now, shown) {
    const t = this.#t;
    const f = this.#f;
    const { zone } = f;
    const notes = [];
    const [today, tomorrow, after] = [0, 1, 2].map((days) => zone.shift("day", now, days));
    if (points.length === 0) notes.push(t("no_prices_yet"));
    else if (!covers(points, today, tomorrow) && this.#range !== "tomorrow") notes.push(t("gap_today"));
    if (this.#range !== "today" && !covers(points, tomorrow, after))
      notes.push(this.#missingTomorrow(points, now, tomorrow, after));
    for (const day of this.#range === "week" ? [] : zone.starts("day", this.#view.from, this.#view.to)) {
      const hours = (zone.shift("day", day, 1) - day) / HOUR_MS;
      if (hours !== 24) notes.push(t(hours > 24 ? "long_day" : "short_day", { day: f.day(day), hours }));
    }
    fill(
      this.#part.notes,
      notes.map((note) => h("p", { class: "note" }, note)),
    );
    const figures = figuresOf(shown.filter((point) => !point.estimate));
    const told = figures && {
      least: f.money(figures.least, currency),
      mean: f.money(figures.mean, currency),
      most: f.money(figures.most, currency),
    };
    setText(this.#part.figures, told ? t("price_figures", told) : "");
  }

  #missingTomorrow(points, now, tomorrow, after) {
    const { zone } = this.#f;
    const { year, month, day } = zone.fields(now);
    const expected = zone.instant(year, month, day, PUBLISHED_HOUR);
    const estimated = within(points, tomorrow, after).length > 0;
    const word = now < expected + HOUR_MS ? "tomorrow_expected" : "tomorrow_late";
    return `${this.#t(word, { time: this.#f.time(expected) })}${estimated ? ` ${this.#t("until_then_estimates")}` : ""}`;
  }

  /** The same numbers in words and columns; made when somebody opens it. */
  #showTable() {
    const [, body] = this.#part.table.children;
    if (!this.#part.table.open || !this.#view) return;
    const t = this.#t;
    const { points, currency, now } = this.#view;
    const rows = points.map((point) =>
      h(
        "tr",
        { class: point.start <= now && now < point.end ? "present" : null },
        h("th", { scope: "row" }, this.#when(point)),
        h("td", { class: "number" }, this.#f.money(point.price, currency)),
        h("td", {}, levelMark(point.level, t), point.estimate && ` ${t("estimate")}`),
      ),
    );
    const head = ["time", "price_per_kwh", "level"].map((key) => h("th", { scope: "col" }, t(key)));
    fill(body, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
  }
}
