/** The parts that are further down on the page, in one file. */
import { PlansPart } from "./plans-part.tsx";
import { SystemPart } from "./system-part.tsx";
import { UsePart } from "./use-part.tsx";

export { PlansPart, SystemPart, UsePart };
