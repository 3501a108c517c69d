/** The plans of a home: what each does and why, its settings, and what it saved. */
import { button, fill, h, setText } from "./dom.js";
import { headlineOf, joinedRuns, reasonOf, refusalOf } from "./plan-words.js";

/** Settings with a field of their own; `enabled` is the switch of the card. */
const FIELDS = {
  hours: { type: "number", min: "0.25", max: "24", step: "0.25", inputmode: "decimal" },
  from: { type: "time" },
  ready_by: { type: "time" },
  max_price: { type: "number", min: "-10", max: "100", step: "0.01", inputmode: "decimal" },
};

export class PlansPart {
  #root;
  #house;
  #t;
  #f;
  #list;
  #hint;
  /** By plan: what a card shows is changed in place, so that who types in it is not disturbed. */
  #cards = new Map();

  constructor(root, { house, t, f }) {
    this.#root = root;
    this.#house = house;
    this.#t = t;
    this.#f = f;
    this.#list = h("div", { class: "plan-cards" });
    this.#hint = h("p", { class: "soft" });
    fill(
      root,
      h(
        "div",
        { class: "card" },
        h("div", { class: "head" }, h("h2", { id: "plans-title" }, t("plans"))),
        this.#hint,
        this.#list,
      ),
    );
    root.setAttribute("aria-labelledby", "plans-title");
  }

  update() {
    const { plans, currentHome, session } = this.#house;
    if (plans === null) return;
    const shown = plans.filter((plan) => plan.home === currentHome?.id);
    const control = session?.control === true;
    const hint =
      shown.length === 0 ? "plans_none" : control ? "" : session?.signed_in ? "plans_read_only" : "plans_log_in";
    setText(this.#hint, hint ? this.#t(hint) : "");
    this.#hint.hidden = hint === "";
    document.body.classList.toggle("no-plans", shown.length === 0);
    document.body.style.setProperty("--plans", String(shown.length));
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, card] of this.#cards) {
      if (ids.has(id)) continue;
      card.root.remove();
      this.#cards.delete(id);
    }
    for (const plan of shown) {
      let card = this.#cards.get(plan.id);
      if (!card) {
        card = new PlanCard(plan, { house: this.#house, t: this.#t, f: this.#f });
        this.#cards.set(plan.id, card);
        this.#list.append(card.root);
      }
      card.update(plan, control);
    }
  }
}

class PlanCard {
  root;
  #house;
  #t;
  #f;
  #id;
  #part;
  #fields = new Map();

  constructor(plan, { house, t, f }) {
    this.#house = house;
    this.#t = t;
    this.#f = f;
    this.#id = plan.id;
    this.#part = {
      dot: h("span", { "aria-hidden": "true" }),
      state: h("span", { class: "state" }),
      headline: h("p", { class: "headline" }),
      reason: h("p", { class: "soft" }),
      runs: h("ul", { class: "runs" }),
      month: h("p", { class: "faint" }),
      told: h("p", { class: "answer", role: "status" }),
      enabled: h("input", {
        type: "checkbox",
        role: "switch",
        onchange: (event) => this.#send({ enabled: event.target.checked }),
      }),
      form: h("form", { class: "settings", onsubmit: (event) => this.#save(event) }),
    };
    const title = `plan-${plan.id}`;
    this.#part.actions = h(
      "div",
      { class: "actions" },
      ["run_now", "skip", "stop"].map((action) => this.#action(action, title)),
    );
    this.#part.change = h("details", { class: "change" }, h("summary", {}, t("plan_change")), this.#part.form);
    this.root = h(
      "article",
      { class: "plan", "aria-labelledby": title },
      h(
        "div",
        { class: "plan-head" },
        h("h3", { id: title }, this.#part.dot, plan.name),
        this.#part.state,
        h(
          "label",
          { class: "switch" },
          this.#part.enabled,
          h("span", { class: "unseen" }, `${plan.name}: ${t("plan_enabled")}`),
        ),
      ),
      ...[this.#part.headline, this.#part.reason, this.#part.runs, this.#part.month],
      ...[this.#part.actions, this.#part.told, this.#part.change],
    );
  }

  #action(action, title) {
    return button(
      { "data-action": action, "aria-describedby": title, onclick: () => this.#send({ command: action }) },
      this.#t(`action_${action}`),
    );
  }

  update(plan, control) {
    const t = this.#t;
    const f = this.#f;
    const part = this.#part;
    const words = { t, f, now: this.#house.now() };
    part.dot.className = `dot ${plan.on ? "running" : plan.state}`;
    this.root.classList.toggle("on", plan.on);
    setText(part.state, t(`state_${plan.state}`));
    setText(part.headline, headlineOf(plan, words));
    setText(part.reason, reasonOf(plan, words));
    this.#showRuns(plan, words.now);
    setText(part.month, monthWords(plan, { t, f }));
    part.enabled.checked = plan.settings.enabled?.value !== false;
    part.enabled.disabled = !control;
    part.actions.hidden = !control;
    part.change.hidden = !control;
    const [runNow, skip, stop] = part.actions.children;
    runNow.hidden = plan.on;
    skip.hidden = plan.on;
    stop.hidden = !plan.on;
    this.#showFields(plan);
  }

  #showRuns(plan, now) {
    const runs = joinedRuns(plan);
    const items = runs.map(({ start, end }) =>
      h("li", { class: `number ${end <= now ? "past" : start <= now ? "present" : ""}` }, this.#f.span(start, end)),
    );
    fill(this.#part.runs, runs.length > 1 ? items : []);
  }

  /** A field is put right when the setting changed, but not under the hands of who is changing it. */
  #showFields({ settings }) {
    const t = this.#t;
    if (this.#fields.size === 0) {
      for (const [name, attributes] of Object.entries(FIELDS)) {
        if (!settings[name]) continue;
        const id = `plan-${this.#id}-${name}`;
        const input = h("input", { id, name, ...attributes });
        const reset = button({ class: "quiet", onclick: () => this.#send({ [name]: null }) }, t("as_in_file"));
        this.#fields.set(name, { input, reset });
        this.#part.form.append(
          h("div", { class: "setting" }, h("label", { for: id }, t(`setting_${name}`)), input, reset),
        );
      }
      this.#part.form.append(h("button", { type: "submit", class: "strong" }, t("save")));
    }
    for (const [name, { input, reset }] of this.#fields) {
      const { value, changed } = settings[name];
      const text = value === null ? "" : String(value);
      if (input !== document.activeElement && input.dataset.known !== text) input.value = text;
      input.dataset.known = text;
      reset.hidden = !changed;
    }
  }

  #save(event) {
    event.preventDefault();
    const changes = {};
    for (const [name, { input }] of this.#fields) {
      if (input.value === input.dataset.known) continue;
      changes[name] = input.value === "" ? null : input.type === "number" ? Number(input.value) : input.value;
    }
    if (Object.keys(changes).length === 0) setText(this.#part.told, this.#t("nothing_changed"));
    else void this.#send(changes);
  }

  async #send(body) {
    const t = this.#t;
    setText(this.#part.told, t("sending"));
    try {
      await this.#house.post(`local/v1/plans/${encodeURIComponent(this.#id)}`, body);
      setText(this.#part.told, t("done"));
    } catch (refusal) {
      setText(this.#part.told, refusalOf(refusal, t));
    }
    await this.#house.readPlans();
  }
}

function monthWords({ month, currency }, { t, f }) {
  if (!month || month.runs === 0) return t("month_none");
  const hours = f.number(month.hours, Number.isInteger(month.hours) ? 0 : 1);
  const parts = [t("month_runs", { count: month.runs, runs: month.runs, hours })];
  if (month.cost !== null) parts.push(t("month_cost", { cost: f.money(month.cost, currency) }));
  if (month.against_window_start !== null)
    parts.push(t("month_saved", { saved: f.money(month.against_window_start, currency) }));
  return parts.join(" · ");
}
