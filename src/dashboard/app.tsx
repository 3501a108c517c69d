/** Starts the dashboard: waits for the texts and the session, then shows the parts of the page. */
import { effect, signal, untracked } from "@preact/signals";
import { type ComponentChildren, type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SERVICE_ZONE } from "../core/time/calendar.ts";
import { browserCalendar } from "./browser-calendar.ts";
import { language, started, store, texts } from "./early.ts";
import { Foot } from "./foot.tsx";
import { Format, localeOf } from "./format.ts";
import { Contact, HomeChoice, PartLinks } from "./header.tsx";
import { NowPart } from "./now/now-view.tsx";
import { PageContext, type PageTools } from "./page.ts";
import { PricesPart } from "./prices/prices-view.tsx";
import { isSettingUp } from "./setup-button.tsx";

/** Fragment of the wall panel's address. */
const PANEL = "#panel";
const RETRY_MS = 4_000;
/** Interval in which the line of the current time moves. */
const TICK_MS = 15_000;
/** Interval in which the session is renewed, so that it does not end on a page that stays open. */
const RENEW_MS = 6 * 3_600_000;
/** Longest timer of browsers. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Delay of an update after the boundary of a price, so that it is never early. */
const AFTER_BOUNDARY_MS = 20;

/** Loaders of the parts further down, which are loaded after the first parts are painted. */
const loadUse = async () => (await import("./use/use-view.tsx")).UsePart;
const loadPlans = async () => (await import("./plans/plans-view.tsx")).PlansPart;
const loadSetup = async () => (await import("./setup/setup.tsx")).Setup;
const loadResults = async () => (await import("./results/results-view.tsx")).resultsPart(language);
const loadSystem = async () => (await import("./system/system-view.tsx")).SystemPart;

const loadPanel = async () => (await import("./panel/panel-view.tsx")).Panel;

const [t, refusal] = await Promise.all([texts, started]);
const tools: PageTools = {
  store,
  t,
  f: new Format(localeOf(language), browserCalendar(store.session.value?.house?.time_zone ?? SERVICE_ZONE)),
};
/** Whether the address is that of the wall panel. */
const isPanel = location.hash === PANEL;
/** Whether the user has opened the login of a page that can be read without one. */
const showsLogin = signal(false);

document.title = t("title");
document.body.classList.toggle("panel", isPanel);
addEventListener("hashchange", () => (location.hash === PANEL) !== isPanel && location.reload());
if (refusal) startLater();
show("homes", <HomeChoice />);
show("parts", <PartLinks />);
show("contact", <Contact />);
show("over", <Over />);
show("foot", <Foot onLogIn={() => (showsLogin.value = true)} />);
effect(() => {
  const { session, mayRead, isReady } = store;
  document.body.classList.remove("starting");
  document.body.classList.toggle("signed-out", session.value !== null && !mayRead.value);
  document.body.classList.toggle("no-home", mayRead.value && store.home.value === undefined);
  // Until the first view can be shown, the page keeps its placeholders.
  const isAsked = session.value !== null && !mayRead.value;
  if (isAsked || isReady.value) untracked(() => show("page", <Page />));
});
keepTime();

function show(id: string, children: ComponentChildren): void {
  const place = document.getElementById(id);
  if (!place) throw new Error(`the page has no element #${id}`);
  if (!place.dataset.shown) place.replaceChildren();
  place.dataset.shown = "true";
  render(<PageContext.Provider value={tools}>{children}</PageContext.Provider>, place);
}

/** Shows that the connection is lost, and retries until the daemon responds. */
function startLater(): void {
  store.lostAt.value = Date.now();
  setTimeout(() => {
    store.start().then(
      () => (store.lostAt.value = null),
      () => startLater(),
    );
  }, RETRY_MS);
}

/** The parts of the page, the wall panel, or the login. */
function Page() {
  if (!store.mayRead.value || showsLogin.value) return <LoginPage />;
  if (isPanel) return <Later load={loadPanel} />;
  return (
    <>
      <NowPart />
      <div class="middle">
        <PricesPart />
        <Later load={loadUse} />
      </div>
      <Later load={loadPlans} />
      <Later load={loadResults} />
      <Later load={loadSystem} />
    </>
  );
}

/** The set-up above the page, which stays open while the daemon restarts. */
function Over() {
  return isSettingUp.value ? <OpenSetup /> : null;
}

function OpenSetup() {
  const Setup = useLoaded(loadSetup);
  return Setup && <Setup onClose={() => (isSettingUp.value = false)} />;
}

function Later({ load }: { readonly load: () => Promise<ComponentType> }) {
  const Loaded = useLoaded(load);
  return Loaded && <Loaded />;
}

function LoginPage() {
  const Login = useLoaded(async () => (await import("./login.tsx")).Login);
  const enter = async () => {
    await store.begin();
    showsLogin.value = false;
  };
  return Login ? <Login onEntered={enter} /> : null;
}

/** Returns a component that is loaded dynamically; null until it is loaded. */
function useLoaded<Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> | null {
  const [loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  useEffect(() => void load().then((component) => setLoaded(() => component)), []);
  return loaded;
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
