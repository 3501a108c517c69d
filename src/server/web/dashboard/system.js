/** How the daemon is: quota, requests, ages, broker and plugs, versions, and what went wrong lately. */
import { ageText, outcomesOf, pastProblems, presentProblems } from "./daemon.js";
import { fill, h, icon } from "./dom.js";
import { problemCard } from "./now.js";

const MAX_PAST = 8;
const DOWNLOAD = "M12 4v11m0 0-4.5-4.5M12 15l4.5-4.5M5 20h14";

export class SystemPart {
  #house;
  #t;
  #f;
  #body;

  constructor(root, { house, t, f }) {
    this.#house = house;
    this.#t = t;
    this.#f = f;
    this.#body = h("div", { class: "system-grid" });
    const download = h(
      "a",
      { class: "download", href: "local/v1/diagnostics", download: "elbro-diagnostics.json" },
      icon(DOWNLOAD),
      t("diagnostics"),
    );
    const head = h("div", { class: "head" }, h("h2", { id: "system-title" }, t("system")), download);
    fill(root, h("div", { class: "card" }, head, this.#body));
    root.setAttribute("aria-labelledby", "system-title");
  }

  update() {
    const { system } = this.#house;
    if (!system) return;
    fill(
      this.#body,
      ...system.interfaces.map((one) => this.#interface(one)),
      this.#series(system),
      this.#connections(system),
      this.#versions(system),
      this.#problems(system),
    );
  }

  #block(title, ...children) {
    return h("section", { class: "block" }, h("h3", {}, title), children);
  }

  #rows(rows) {
    return h(
      "dl",
      { class: "rows" },
      rows.filter(Boolean).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    );
  }

  #interface({ account, interface: face, state, quota, today }) {
    const t = this.#t;
    const many = this.#house.system.interfaces.length > 2 ? ` · ${account}` : "";
    const outcomes = outcomesOf(today.by_outcome).map(({ outcome, count, good }) =>
      h(
        "li",
        { class: good ? "good" : "other" },
        h("strong", { class: "number" }, String(count)),
        ` ${t.has(`outcome_${outcome}`) ? t(`outcome_${outcome}`) : outcome}`,
      ),
    );
    return this.#block(
      `${t(`interface_${face}`)}${many}`,
      this.#rows([
        [t("state"), t.has(`service_${state}`) ? t(`service_${state}`) : state],
        quota.minute && [t("quota_minute"), this.#window(quota.minute, t("quota_minute"))],
        quota.day && [t("quota_day"), this.#window(quota.day, t("quota_day"))],
        [t("requests_today"), String(today.requests ?? 0)],
      ]),
      outcomes.length > 0 && h("ul", { class: "outcomes", "aria-label": t("requests_today") }, outcomes),
    );
  }

  #window({ limit, left, resets_at: resetsAt }, name) {
    const t = this.#t;
    const resets = resetsAt === null ? "" : ` · ${t("resets_at", { time: this.#f.time(Date.parse(resetsAt)) })}`;
    const meter =
      limit &&
      h("meter", {
        "aria-label": name,
        min: "0",
        max: String(limit),
        low: String(limit * 0.2),
        optimum: String(limit),
        value: left ?? 0,
      });
    return [
      h("span", { class: "number" }, t("left_of", { left: left ?? "–", limit: limit ?? "–" })),
      h("span", { class: "faint" }, resets),
      meter,
    ];
  }

  #series({ series, backfill }) {
    const t = this.#t;
    const rows = series.map(({ name, series: label, last_success_at: at, age_seconds: age }) =>
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          t.has(`series_${label}`) ? t(`series_${label}`) : label,
          h("span", { class: "faint" }, ` ${name ?? ""}`),
        ),
        h("td", { class: "number" }, age === null ? t("never") : ageText(age, { t, f: this.#f })),
        h("td", { class: "faint" }, at === null ? "" : this.#f.dateTime(Date.parse(at))),
      ),
    );
    const head = ["series", "age", "last_read"].map((key) => h("th", { scope: "col" }, t(key)));
    return this.#block(
      t("data"),
      rows.length === 0
        ? h("p", { class: "soft" }, t("data_none"))
        : h("table", { class: "ages" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)),
      backfill && this.#backfill(backfill),
    );
  }

  #backfill({ days_known: known, days_wanted: wanted }) {
    const t = this.#t;
    const share = wanted === 0 ? 1 : known / wanted;
    const text =
      share >= 1 ? t("history_whole") : t("history_part", { percent: this.#f.percent(Math.floor(share * 100) / 100) });
    return h(
      "div",
      { class: "backfill" },
      h("span", {}, text),
      share < 1 && h("progress", { "aria-label": t("history"), max: "1", value: share }),
    );
  }

  #connections({ broker, plugs, lan }) {
    const t = this.#t;
    const place = broker.kind === "inside" ? t("broker_inside") : broker.host;
    const plugRows = plugs.map((plug) => {
      const isAway = plug.available === false;
      const state = isAway ? "plug_away" : plug.on === null ? "plug_unknown" : plug.on ? "plug_on" : "plug_off";
      return [h("span", {}, plug.name ?? plug.id), [mark(!isAway), t(state)]];
    });
    return this.#block(
      t("connections"),
      this.#rows([
        [t("broker"), [mark(broker.connected), `${t(broker.connected ? "connected" : "not_connected")} · ${place}`]],
        [t("listeners"), String(lan?.listeners ?? 0)],
        ...plugRows,
      ]),
    );
  }

  #versions({ version, node, started_at: startedAt, uptime_seconds: uptime, memory, time_trusted: trusted }) {
    const t = this.#t;
    const mb = memory?.rss_bytes ? `${this.#f.number(memory.rss_bytes / 1_048_576, 0)} MB` : null;
    return this.#block(
      t("versions"),
      this.#rows([
        ["elbro", version],
        ["Node.js", node],
        [t("started"), `${this.#f.dateTime(Date.parse(startedAt))} (${ageText(uptime, { t, f: this.#f })})`],
        mb && [t("memory"), mb],
        trusted === false && [t("clock"), t("clock_wrong")],
      ]),
    );
  }

  #problems(system) {
    const t = this.#t;
    const present = presentProblems(system);
    const past = pastProblems(system, MAX_PAST).map(({ code, advice, subject, since, ended_at: endedAt }) =>
      h(
        "li",
        {},
        h("span", {}, t.has(`problem_${code}`) ? t(`problem_${code}`) : advice),
        h(
          "span",
          { class: "faint" },
          ` ${subject} · ${this.#f.dateTime(Date.parse(since))} – ${this.#f.dateTime(Date.parse(endedAt))}`,
        ),
      ),
    );
    return this.#block(
      t("problems"),
      present.map((problem) => problemCard(problem, t)),
      present.length === 0 && h("p", { class: "soft" }, mark(true), t("problems_none")),
      past.length > 0 && [h("h4", {}, t("problems_past")), h("ul", { class: "past" }, past)],
    );
  }
}

function mark(good) {
  return h("span", { class: `mark ${good ? "good" : "bad"}`, "aria-hidden": "true" }, good ? "✓ " : "✕ ");
}
