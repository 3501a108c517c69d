/** Starts the dashboard: waits for the texts and the session, then shows the parts of the page. */
import { computed, effect, signal, untracked } from "@preact/signals";
import { type ComponentChildren, type ComponentType, render } from "preact";
import { SERVICE_ZONE } from "../core/time/calendar.ts";
import { Foot } from "./foot.tsx";
import { Contact, HomeChoice, ViewLinks } from "./header.tsx";
import { changeCount } from "./history/changes.ts";
import { lazy, loadAll } from "./lazy.tsx";
import { NowView } from "./now/now-view.tsx";
import { PageContext, type PageTools } from "./page.ts";
import { route, routeOf, type ViewName } from "./route.ts";
import { isSettingUp } from "./setup-button.tsx";
import { language, started, store, texts } from "./store/early.ts";
import { mayKeep, NOTHING, oldestShown } from "./store/last-answers.ts";
import { browserCalendar } from "./words/browser-calendar.ts";
import { Format, localeOf } from "./words/format.ts";

/** Fragment of the wall panel's address. */
const PANEL = "#panel";
/** Delay after the first view until the others are loaded and the page is kept, so that it does not slow the first view. */
const KEEP_MS = 1_000;
/** Interval in which the line of the current time moves. */
const TICK_MS = 15_000;
/** Interval in which the session is renewed, so that it does not end on a page that stays open. */
const RENEW_MS = 6 * 3_600_000;
/** Longest timer of browsers. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Delay of an update after the boundary of a price, so that it is never early. */
const AFTER_BOUNDARY_MS = 20;

/** The views. All but the first one are loaded when they are shown. */
const SHOWN: Readonly<Record<ViewName, ComponentType>> = {
  now: NowView,
  prices: lazy(async () => (await import("./prices/prices-view.tsx")).PricesView),
  use: lazy(async () => (await import("./use/use-view.tsx")).UseView),
  plans: lazy(async () => (await import("./plans/plans-view.tsx")).PlansView),
  results: lazy(async (language) => (await import("./results/results-view.tsx")).resultsView(language)),
  system: lazy(async () => (await import("./system/system-view.tsx")).SystemView),
};
/** The message after a change, which is loaded with the first one. */
const UndoToast = lazy(async () => (await import("./history/undo-toast.tsx")).UndoToast);
const Setup = lazy(async () => (await import("./setup/setup.tsx")).Setup);
const Panel = lazy(async () => (await import("./panel/panel-view.tsx")).Panel);
const Login = lazy(async () => (await import("./login.tsx")).Login);

const [t, refusal] = await Promise.all([texts, started]);
if (refusal?.status === null) await store.showLast();
const tools: PageTools = {
  store,
  t,
  f: new Format(localeOf(language), browserCalendar(store.session.value?.house?.time_zone ?? SERVICE_ZONE)),
};
/** Whether the address is that of the wall panel. */
const isPanel = location.hash === PANEL;
/** Whether the user has opened the login of a page that can be read without one. */
const showsLogin = signal(false);

document.body.classList.toggle("panel", isPanel);
addEventListener("hashchange", () => (location.hash === PANEL) !== isPanel && location.reload());
followAddress();
if (refusal) store.lost();
show("homes", <HomeChoice />);
show("parts", <ViewLinks />);
show("contact", <Contact />);
show("over", <Over />);
show("foot", <Foot onLogIn={() => (showsLogin.value = true)} />);
effect(() => {
  const { session, mayRead, isReady } = store;
  const { view } = route.value;
  document.title = view === "now" ? t("title") : `${t(view)} · elbro`;
  document.body.dataset.view = view;
  document.body.classList.remove("starting");
  document.body.classList.toggle("signed-out", session.value !== null && !mayRead.value);
  document.body.classList.toggle("no-home", mayRead.value && store.home.value === undefined);
  // Until the first view can be shown, the page keeps its placeholders.
  const isAsked = session.value !== null && !mayRead.value;
  if (isAsked || isReady.value) untracked(() => show("page", <Page />));
});
const isThere = computed(() => store.mayRead.value && store.isReady.value && store.lostAt.value === null);
effect(() => {
  if (isThere.value) setTimeout(() => void keepForLater(), KEEP_MS);
});
keepTime();

function show(id: string, children: ComponentChildren): void {
  const place = document.getElementById(id);
  if (!place) throw new Error(`the page has no element #${id}`);
  if (!place.dataset.shown) place.replaceChildren();
  place.dataset.shown = "true";
  render(<PageContext.Provider value={tools}>{children}</PageContext.Provider>, place);
}

/** Loads what may be shown without the daemon. The panel shows nothing else. */
async function keepForLater(): Promise<void> {
  if (!isPanel) await loadAll(language);
  if (mayKeep()) await (await import("./store/offline.ts")).keepPage();
}

/** The view that the address names, the wall panel, or the login. */
function Page() {
  if (!store.mayRead.value || showsLogin.value) return <Login onEntered={enter} />;
  if (isPanel) return <Panel />;
  const { view } = route.value;
  const View = SHOWN[view];
  return <View key={view} />;
}

async function enter(): Promise<void> {
  await store.begin();
  showsLogin.value = false;
}

/** The set-up above the page, which stays open while the daemon restarts. */
function Over() {
  return (
    <>
      {isSettingUp.value && <Setup onClose={() => (isSettingUp.value = false)} />}
      {changeCount.value > 0 && <UndoToast />}
    </>
  );
}

/** Shows the view of the address, now and whenever it changes, from its top. */
function followAddress(): void {
  route.value = routeOf(location.hash);
  addEventListener("hashchange", () => {
    const next = routeOf(location.hash);
    const isOther = next.view !== route.peek().view;
    if (isOther) oldestShown.value = NOTHING;
    route.value = next;
    if (isOther) scrollTo(0, 0);
  });
}

/** Updates the shown time every 15 s, at the boundaries of prices, and when the page becomes visible. */
function keepTime(): void {
  setInterval(() => store.tick(), TICK_MS);
  setInterval(() => void store.readSession().catch(() => null), RENEW_MS);
  document.addEventListener("visibilitychange", () => store.tick());
  effect(() => {
    const shown = store.time.value;
    const next = store.prices.value?.points.find((point) => point.end > shown)?.end;
    if (next === undefined) return;
    const timer = setTimeout(() => store.tick(), Math.min(next - store.now() + AFTER_BOUNDARY_MS, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  });
}
