/** Keeps the page in the browser, so that it opens without the daemon. */
import { KEPT, writeAnswers } from "./last-answers.ts";
import { pathOf } from "./requests.ts";

const write = () => void writeAnswers();

/** Starts the service worker, and keeps the answers and the loaded files of this version of the page. */
export async function keepPage(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const files = new URL(".", import.meta.url).href;
  const page = pathOf(".").href;
  await navigator.serviceWorker.register(`${files}worker.js`, { scope: page });
  await navigator.serviceWorker.ready;
  const cache = await caches.open(KEPT);
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  await cache.addAll([page, ...new Set(loaded.filter((name) => name.startsWith(files)))]);
  await writeAnswers();
  // A phone ends pages that are not shown.
  document.addEventListener("visibilitychange", write);
  for (const { url } of await cache.keys()) if (url !== page && !url.startsWith(files)) await cache.delete(url);
}
