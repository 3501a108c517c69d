/** Keeps the page in the browser, so that it opens without the daemon. */
import { KEPT } from "./last-known.ts";
import { pathOf } from "./requests.ts";

/** Starts the service worker, and keeps the loaded files of this version of the page. */
export async function keepPage(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const files = new URL(".", import.meta.url).href;
  const page = pathOf(".").href;
  await navigator.serviceWorker.register(`${files}worker.js`, { scope: page });
  await navigator.serviceWorker.ready;
  await Promise.all([import("../prices/prices-view.tsx"), import("../plans/plans-view.tsx")]);
  const cache = await caches.open(KEPT);
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  await cache.addAll([page, ...new Set(loaded.filter((name) => name.startsWith(files)))]);
  for (const { url } of await cache.keys()) if (url !== page && !url.startsWith(files)) await cache.delete(url);
}
