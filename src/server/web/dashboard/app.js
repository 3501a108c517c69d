/**
 * The dashboard. This file starts it: the words, who looks, then its parts. Each part shows one thing of the house and is
 * told when that changed; none knows of another.
 */
import { button, fill, h, icon } from "./dom.js";
import { house, language, started, words } from "./early.js";
import { Format, localeOf } from "./format.js";
import { keep, LANGUAGES } from "./language.js";
import { NowPart } from "./now.js";
import { PricesPart } from "./prices.js";
import { Zone } from "./zone.js";

/** Where no home says another. */
const ZONE = "Europe/Copenhagen";
const RETRY_MS = 4_000;
/** The line of now moves, and prices change on their boundaries. */
const TICK_MS = 15_000;
/** A screen on the wall is never opened again; its session lasts as long as it looks. */
const RENEW_MS = 6 * 3_600_000;

const PARTS = {
  now: "M13 3 5 14h6l-1 7 8-11h-6z",
  prices: "M4 20V10m5.3 10V4m5.4 16v-7M20 20V7",
  use: "M4 18c3-9 5-9 8-5s5 3 8-7",
  plans: "M8 3v4m8-4v4M4 9h16M5 5h14v15H5zM9 14l2.2 2.2L15.5 12",
  system: "M4 7h10m4 0h2M4 17h2m4 0h10M16 5v4M8 15v4",
};

const byId = (id) => document.getElementById(id);
document.documentElement.lang = language;

const [t, refusal] = await Promise.all([words, started]);
if (refusal) startLater();
const f = new Format(localeOf(language), new Zone(house.session?.house?.time_zone ?? ZONE));
let parts = null;
let boundary = null;
/** Who is asked for a key is not disturbed by what happens meanwhile. */
let isAtDoor = false;
/** Parts that have to be shown again. */
const due = new Set();

document.title = t("title");
showFrame();
watchParts();
setInterval(() => update(["now", "prices"]), TICK_MS);
setInterval(() => void house.readSession().catch(() => null), RENEW_MS);
document.addEventListener("visibilitychange", () => update(["now", "prices"]));
house.addEventListener("change", ({ detail }) => changed(detail));
show();

/** The page is there and the daemon is not, or not yet. */
function startLater() {
  house.lostAt = Date.now();
  const again = async () => {
    try {
      await house.start();
      house.lostAt = null;
      show();
    } catch {
      setTimeout(again, RETRY_MS);
    }
  };
  setTimeout(again, RETRY_MS);
}

function show() {
  document.body.classList.remove("starting");
  document.body.classList.toggle("signed-out", house.session !== null && !house.mayRead);
  showContact();
  showFoot();
  if (house.session === null) return;
  if (!house.mayRead) return void showDoor();
  showHomes();
  showParts();
}

/** Until there is something to show, the page keeps the place for it. */
function showParts() {
  if (!house.isReady || isAtDoor) return;
  parts ??= makeParts();
  update(Object.keys(parts));
}

/** What is looked at first is made first; the rest when that is painted. */
function makeParts() {
  const tools = { house, t, f };
  const made = { now: new NowPart(byId("now"), tools), prices: new PricesPart(byId("prices"), tools) };
  afterPaint(async () => {
    const files = [import("./plans.js"), import("./system.js"), import("./use.js")];
    const [{ PlansPart }, { SystemPart }, { UsePart }] = await Promise.all(files);
    if (parts !== made) return;
    made.plans = new PlansPart(byId("plans"), tools);
    made.system = new SystemPart(byId("system"), tools);
    made.use = new UsePart(byId("use"), tools);
    update(["plans", "system", "use"]);
  });
  return made;
}

function afterPaint(then) {
  requestAnimationFrame(() => setTimeout(then));
}

async function showDoor() {
  parts = null;
  isAtDoor = true;
  for (const name of Object.keys(PARTS)) fill(byId(name)).removeAttribute("aria-labelledby");
  fill(byId("homes"));
  const { showLogin } = await import("./login.js");
  showLogin(byId("now"), {
    ...{ house, t },
    onentered: async () => {
      isAtDoor = false;
      await house.begin();
      show();
    },
  });
}

/** Who has to be shown again after something changed. */
function changed(what) {
  if (what === "contact") showContact();
  if (what === "session") {
    if (parts && !house.mayRead) show();
    else if (parts) update(Object.keys(parts));
    return;
  }
  if (!parts) return house.mayRead ? showParts() : undefined;
  const [kind, home] = what.split(" ");
  if (kind === "home") update(Object.keys(parts));
  else if (kind === "prices" && home === house.home) update(["now", "prices"]);
  else if (kind === "plans") update(["now", "prices", "plans"]);
  else if (kind === "system") update(["now", "system"]);
  else if (kind === "time") update(["now", "prices", "plans"]);
  else if (kind === "rows" && home === house.home) {
    parts.use?.forget();
    update(["use"]);
  }
}

/** Parts are shown again once for all that happened since they were painted. */
function update(names) {
  if (due.size === 0) {
    // A page that nobody sees has no frames.
    if (document.hidden) setTimeout(flush);
    else requestAnimationFrame(flush);
  }
  for (const name of names) due.add(name);
}

function flush() {
  const names = [...due];
  due.clear();
  for (const name of names) parts?.[name]?.update();
  armBoundary();
}

/** Prices change on their boundary, whether or not anybody says so. */
function armBoundary() {
  clearTimeout(boundary);
  const points = house.prices.get(house.home)?.points ?? [];
  const now = house.now();
  const next = points.find((point) => point.end > now)?.end;
  if (next) boundary = setTimeout(() => update(["now", "prices", "plans"]), Math.min(next - now + 20, 2 ** 31 - 1));
}

/** What stands still: the ways to the parts. */
function showFrame() {
  const links = Object.entries(PARTS).map(([name, path]) =>
    h("a", { href: `#${name}` }, icon(path), h("span", {}, t(name))),
  );
  byId("parts").setAttribute("aria-label", t("parts"));
  fill(byId("parts"), links);
}

/** Marks the way to the part that is looked at. */
function watchParts() {
  const wide = matchMedia("(min-width: 900px)");
  const mark = (id) => {
    for (const link of byId("parts").children) {
      // Beside each other the parts are looked at all at once.
      if (!wide.matches && link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  mark("now");
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) mark(entry.target.id);
    },
    { rootMargin: "-45% 0px -50%" },
  );
  for (const name of Object.keys(PARTS)) seen.observe(byId(name));
}

function showHomes() {
  if (house.homes.length < 2) return void fill(byId("homes"));
  const select = h(
    "select",
    {
      "aria-label": t("home"),
      onchange: () => {
        void house.choose(select.value);
        keep("home", select.value);
      },
    },
    house.homes.map(({ id, name }) => h("option", { value: id, selected: id === house.home }, name)),
  );
  fill(byId("homes"), select);
}

/** Says when what is shown is old. */
function showContact() {
  const contact = byId("contact");
  if (house.lostAt === null) return void fill(contact);
  const since = house.readAt ?? null;
  const text = since === null ? t("no_contact") : t("no_contact_since", { time: f.dateTime(since) });
  if (contact.textContent.includes(text)) return;
  fill(contact, h("p", { class: "notice" }, h("span", { "aria-hidden": "true" }, "⚠"), h("span", {}, text)));
}

function showFoot() {
  const languages = h(
    "select",
    {
      onchange: () => {
        keep("language", languages.value);
        location.reload();
      },
    },
    Object.entries(LANGUAGES).map(([value, name]) =>
      h("option", { value, lang: value, selected: value === language }, name),
    ),
  );
  const { session } = house;
  const logOut = button(
    {
      class: "quiet",
      onclick: async () => {
        await house.post("local/v1/session/end", {}).catch(() => null);
        location.reload();
      },
    },
    t("log_out"),
  );
  const logIn = button({ class: "quiet", onclick: () => void showDoor() }, t("log_in"));
  fill(
    byId("foot"),
    h("label", {}, `${t("language")} `, languages),
    session?.signed_in && h("span", {}, t("signed_in_as", { name: session.key })),
    session?.can_log_out && logOut,
    session?.mode === "open" && !session.signed_in && logIn,
    session?.house && h("span", {}, `elbro ${session.house.version}`),
    h("span", {}, f.zone.name),
  );
}
