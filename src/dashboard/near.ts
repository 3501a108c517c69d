/** Lets parts further down read their data only when the user scrolls near them. */
import { useEffect, useState } from "preact/hooks";

/** Distance at which a part counts as near. */
const NEAR = "400px";

/** Returns whether the user has scrolled near the element with this id. It stays true. */
export function useNearness(id: string): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const part = document.getElementById(id);
    if (!part) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      rootMargin: NEAR,
    });
    observer.observe(part);
    return () => observer.disconnect();
  }, []);
  return isNear;
}
