/** The door: a key of the LAN API, given once. */
import { button, fill, h } from "./dom.js";

export function showLogin(root, { house, t, onentered }) {
  const key = h("input", {
    ...{ id: "key", name: "key", type: "password", autocomplete: "current-password", required: true },
    ...{ autocapitalize: "off", spellcheck: "false", "aria-describedby": "key-help key-wrong" },
  });
  const wrong = h("p", { id: "key-wrong", class: "wrong", role: "alert" });
  const enter = h("button", { type: "submit", class: "strong" }, t("log_in"));
  const form = h(
    "form",
    {
      class: "card login",
      onsubmit: async (event) => {
        event.preventDefault();
        enter.disabled = true;
        fill(wrong);
        try {
          await house.post("local/v1/session", { key: key.value.trim() });
          await house.readSession();
          onentered();
        } catch (refusal) {
          fill(wrong, wordsOf(refusal, t));
          key.select();
        }
        enter.disabled = false;
      },
    },
    h("h2", { id: "login-title" }, t("log_in_title")),
    h("p", { id: "key-help", class: "soft" }, t("log_in_help")),
    h("input", { type: "text", name: "username", value: "elbro", autocomplete: "username", hidden: true }),
    h("label", { for: "key" }, t("key")),
    h("div", { class: "field" }, key, shower(key, t)),
    wrong,
    enter,
  );
  fill(root, form);
  key.focus();
}

/** A long key is easier to give when it can be seen. */
function shower(key, t) {
  const show = button({ class: "quiet", "aria-pressed": "false", "aria-controls": "key" }, t("show"));
  show.addEventListener("click", () => {
    const hidden = key.type === "password";
    key.type = hidden ? "text" : "password";
    show.setAttribute("aria-pressed", String(hidden));
    fill(show, t(hidden ? "hide" : "show"));
    key.focus();
  });
  return show;
}

function wordsOf({ status, code, reason, retryAfterSec }, t) {
  if (status === null || status === undefined) return t("no_contact_short");
  if (status === 429) return t("too_many_tries", { count: retryAfterSec ?? 60, seconds: retryAfterSec ?? 60 });
  if (status === 401 || code === "invalid_parameter") return t("wrong_key");
  return reason;
}
