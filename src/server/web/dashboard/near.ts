/** Parts further down read their data when the reader comes near, not when the page opens. */
import { useEffect, useState } from "preact/hooks";

/** Unit: pixels. */
const NEAR = "400px";

/** Whether the reader has come near the element with this id; it stays true. */
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
