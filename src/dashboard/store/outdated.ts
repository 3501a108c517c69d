/**
 * Reloads the page if the daemon has other files than those that it was loaded from. The entry in the history survives
 * that, so that a copy that something keeps is reloaded once for a digest and not for ever.
 */
export function reloadIfOutdated(digest: string | null): void {
  // A page that is served from its sources has no digest in its address.
  const own = /\/assets\/(\w{16})\//.exec(import.meta.url)?.[1];
  if (own === undefined || digest === null || own === digest || history.state?.reloadedFor === digest) return;
  history.replaceState({ ...history.state, reloadedFor: digest }, "");
  location.reload();
}
