/** Scrolls to the part of a view that the address names. */
import { useEffect, useState } from "preact/hooks";
import { route } from "./route.ts";

/** Returns the `ref` of the element with this name. The element may appear later than the address. */
export function useArrival(name: string): (element: HTMLElement | null) => void {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const isNamed = route.value.entry === name;
  useEffect(() => {
    if (isNamed) place?.scrollIntoView();
  }, [place, isNamed]);
  return setPlace;
}
