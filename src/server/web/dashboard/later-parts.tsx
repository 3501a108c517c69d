/** The parts that are further down on the page. */
import { PlansPart } from "./plans-part.tsx";
import { SystemPart } from "./system-part.tsx";
import { UsePart } from "./use-part.tsx";

export function LaterParts() {
  return (
    <>
      <PlansPart />
      <UsePart />
      <SystemPart />
    </>
  );
}
