/** What it costs now, what the next hours do, when it is cheapest, what runs, and what is wrong. */
import { presentProblems } from "./daemon.js";
import { fill, h, setText } from "./dom.js";
import { headlineOf, reasonOf } from "./plan-words.js";
import { cheapestHours, comingHours, figuresOf, indexAt, LEVELS, outlook, within } from "./timeline.js";

const LEVEL_SIGNS = {
  very_cheap: "▼▼",
  cheap: "▼",
  normal: "●",
  expensive: "▲",
  very_expensive: "▲▲",
  unknown: "?",
};
const COMING_HOURS = 12;
/** Heights of the coming hours, in pixels. */
const RISE_PX = 40;
const MIN_RISE_PX = 3;
/** A price of more characters is written smaller. */
const MAX_FULL_SIZE = 4;
const CHEAPEST = [1, 2, 3, 4];

/** A level as its sign and its word; the colour is only beside them. */
export function levelMark(level, t) {
  return h(
    "span",
    { class: `level ${level}` },
    h("span", { class: "sign", "aria-hidden": "true" }, LEVEL_SIGNS[level]),
    t(`level_${level}`),
  );
}

export class NowPart {
  #root;
  #t;
  #f;
  #house;
  #parts;

  constructor(root, { house, t, f }) {
    this.#root = root;
    this.#house = house;
    this.#t = t;
    this.#f = f;
    this.#parts = this.#build();
  }

  #build() {
    const t = this.#t;
    const part = {
      title: h("h2", { id: "now-title", class: "unseen" }, t("now")),
      when: h("p", { class: "soft when" }),
      figure: h("span", { class: "figure" }),
      unit: h("span", { class: "unit" }),
      level: h("p", { class: "level-line" }),
      rank: h("p", { class: "faint" }),
      outlook: h("p", { class: "outlook" }),
      strip: h("ol", { class: "strip", "aria-label": t("coming_hours") }),
      problems: h("div", {}),
      cheapest: h("ul", { class: "cheapest-list" }),
      plans: h("ul", { class: "plan-lines" }),
      plansCard: null,
    };
    part.hero = h(
      "div",
      { class: "card hero" },
      part.when,
      h("p", { class: "price" }, part.figure, part.unit),
      part.level,
      part.outlook,
      part.strip,
      part.rank,
    );
    part.cheapestCard = h(
      "div",
      { class: "card cheapest" },
      h("div", { class: "head" }, h("h3", {}, t("cheapest_hours"))),
      part.cheapest,
    );
    part.plansCard = h(
      "div",
      { class: "card plan-lines-card" },
      h("div", { class: "head" }, h("h3", {}, t("what_runs"))),
      part.plans,
    );
    fill(this.#root, part.title, part.problems, part.hero, part.cheapestCard, part.plansCard);
    this.#root.setAttribute("aria-labelledby", "now-title");
    return part;
  }

  update() {
    const home = this.#house.currentHome;
    const prices = home && this.#house.prices.get(home.id);
    this.#showProblems();
    this.#showPlans(home);
    if (!prices) return;
    const now = this.#house.now();
    this.#showPrice(prices, now);
    this.#showComing(prices, now);
    this.#showCheapest(prices, now);
  }

  #showPrice({ points, currency, vatIncluded }, now) {
    const t = this.#t;
    const f = this.#f;
    const part = this.#parts;
    const current = points[indexAt(points, now)] ?? null;
    part.hero.className = `card hero ${current?.level ?? "unknown"}`;
    if (!current) {
      setText(part.when, t("price_now"));
      setText(part.figure, "–");
      setText(part.unit, "");
      fill(part.level, h("span", { class: "level unknown" }, t("no_price_now")));
      setText(part.outlook, t("no_price_advice"));
      setText(part.rank, "");
      return;
    }
    setText(part.when, `${t("price_now")} · ${f.span(current.start, current.end)}`);
    const figure = f.number(current.price);
    setText(part.figure, figure);
    part.figure.classList.toggle("long", figure.length > MAX_FULL_SIZE);
    setText(part.unit, `${f.currency(currency)}/kWh`);
    fill(part.level, levelMark(current.level, t), current.estimate && h("span", { class: "tag" }, t("estimate")));
    setText(part.outlook, this.#outlookText(points, currency, now));
    const today = within(points, f.zone.startOf("day", now), f.zone.shift("day", now, 1));
    const figures = figuresOf(today.filter((point) => !point.estimate));
    const facts = [
      current.rank && t("rank", { rank: current.rank, of: current.rankOf }),
      figures && t("mean_today", { price: f.money(figures.mean, currency) }),
      vatIncluded === false && t("without_vat"),
    ];
    setText(part.rank, facts.filter(Boolean).join(" · "));
  }

  #outlookText(points, currency, now) {
    const t = this.#t;
    const f = this.#f;
    const coming = outlook(points, now);
    if (!coming) return "";
    const day = (at) => (f.zone.startOf("day", at) === f.zone.startOf("day", now) ? "" : `${f.weekday(at)} `);
    const level = t(`level_${coming.level}`).toLowerCase();
    if (coming.kind === "stays")
      return t("outlook_stays", { level, time: `${day(coming.until)}${f.clock(coming.until)}` });
    const facts = { level, time: `${day(coming.at)}${f.clock(coming.at)}`, price: f.money(coming.mean, currency) };
    return t(`outlook_${coming.kind}${coming.estimate ? "_estimate" : ""}`, facts);
  }

  /** The coming hours as a row of bars with their clock; the chart below has them in full. */
  #showComing({ points, currency }, now) {
    const t = this.#t;
    const f = this.#f;
    const hours = comingHours(points, now, COMING_HOURS);
    const most = Math.max(0, ...hours.map(({ mean }) => mean ?? 0));
    const least = Math.min(0, ...hours.map(({ mean }) => mean ?? 0));
    const perUnit = RISE_PX / (most - least || 1);
    const items = hours.map(({ start, level, mean, estimate }, i) => {
      const bar = h("span", { class: `bar ${level ?? "unknown"}${estimate ? " estimate" : ""}` });
      const height = Math.max(MIN_RISE_PX, Math.round(Math.abs(mean ?? 0) * perUnit));
      // Negative prices hang below the line, where there are any.
      const depth = Math.round(-least * perUnit);
      bar.style.height = `${height}px`;
      bar.style.marginBottom = `${(mean ?? 0) < 0 ? Math.max(0, depth - height) : depth}px`;
      const told = mean === null ? t("no_price") : `${f.money(mean, currency)}, ${t(`level_${level}`)}`;
      return h(
        "li",
        { class: i === 0 ? "present" : null },
        h("span", { class: "unseen" }, `${f.time(start)}: ${told}`),
        h("span", { class: "rise", "aria-hidden": "true" }, bar),
        h("span", { class: "clock", "aria-hidden": "true" }, f.hour(start)),
      );
    });
    fill(this.#parts.strip, items);
  }

  #showCheapest({ points, currency }, now) {
    const t = this.#t;
    const f = this.#f;
    const found = CHEAPEST.map((hours) => ({ hours, best: cheapestHours(points, hours, now) })).filter(
      ({ best }) => best,
    );
    if (found.length === 0) {
      fill(this.#parts.cheapest, h("li", { class: "soft" }, t("cheapest_none")));
      return;
    }
    const today = f.zone.startOf("day", now);
    const rows = found.map(({ hours, best }) => {
      const day = f.zone.startOf("day", best.start) === today ? t("today") : t("tomorrow");
      return h(
        "li",
        {},
        h("span", { class: "length" }, t("hours", { count: hours, hours })),
        h(
          "span",
          { class: "number span" },
          f.span(best.start, best.end),
          " ",
          h("span", { class: "faint day-word" }, day),
        ),
        h("span", { class: "number amount" }, f.money(best.mean, currency)),
      );
    });
    fill(this.#parts.cheapest, rows);
  }

  #showPlans(home) {
    const t = this.#t;
    const plans = (this.#house.plans ?? []).filter((plan) => plan.home === home?.id);
    this.#parts.plansCard.hidden = plans.length === 0;
    const lines = plans.map((plan) =>
      h(
        "li",
        { class: plan.on ? "on" : null },
        h("span", { class: `dot ${plan.state}`, "aria-hidden": "true" }),
        h("span", { class: "name" }, plan.name),
        h("span", { class: "next" }, headlineOf(plan, { t, f: this.#f, now: this.#house.now() })),
        h("span", { class: "faint why" }, reasonOf(plan, { t, f: this.#f })),
      ),
    );
    fill(this.#parts.plans, lines);
  }

  #showProblems() {
    const problems = presentProblems(this.#house.system);
    fill(
      this.#parts.problems,
      problems.map((problem) => problemCard(problem, this.#t)),
    );
    this.#parts.problems.className = problems.length > 0 ? "problems" : "";
  }
}

/** A problem in words, and what to do. */
export function problemCard({ code, subject, advice, detail }, t) {
  const known = t.has(`problem_${code}`);
  return h(
    "div",
    { class: "problem", role: "group" },
    h(
      "p",
      { class: "problem-what" },
      h("span", { "aria-hidden": "true" }, "⚠ "),
      known ? t(`problem_${code}`) : advice,
    ),
    h("p", { class: "faint" }, [subject, detail].filter(Boolean).join(" · ")),
  );
}

export function levelLegend(t) {
  return LEVELS.map((level) => levelMark(level, t));
}
