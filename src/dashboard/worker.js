/**
 * Service worker: shows the page while the daemon cannot be reached. It keeps the page and its files, but no data; the
 * page keeps its last answers itself (last-answers.ts).
 */
const KEPT = "elbro";
/** Time after which the kept page is shown instead of one that does not come. */
const WAIT_MS = 5_000;

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { scope } = registration;
  const isPage = request.mode === "navigate" && new URL(request.url).pathname === new URL(scope).pathname;
  if (request.method !== "GET" || !(isPage || request.url.startsWith(`${scope}assets/`))) return;
  event.respondWith(answerTo(request, isPage ? scope : request.url));
});

/** Asks the daemon first, because it may have a newer page. */
async function answerTo(request, name) {
  const cache = await caches.open(KEPT);
  const kept = await cache.match(name);
  const asked = fetch(request).then(async (answer) => {
    if (answer.ok) await cache.put(name, answer.clone());
    return answer;
  });
  if (!kept) return asked;
  const late = new Promise((resolve) => setTimeout(() => resolve(kept), WAIT_MS));
  return Promise.race([asked, late]).catch(() => kept);
}
