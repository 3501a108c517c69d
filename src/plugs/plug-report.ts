/** Stores, logs and reports what the decisions of a plug change. */
import { message, type Text } from "../core/language/text.ts";
import type { PlugDecision } from "../core/plugs/plug-controller.ts";
import type { PlugSnapshot } from "../core/plugs/plug-snapshot.ts";
import type { PlugRules, PlugState } from "../core/plugs/plug-types.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import type { Problems } from "../core/status/problem.ts";
import { rounded } from "../core/text/rounding.ts";
import { DAY_MS, type EpochMs } from "../core/time/interval.ts";

/** A wrong reading is shown until a day has passed without another one. */
const REFUSAL_SHOWN_MS = DAY_MS;

export interface PlugReportDeps {
  /** Stores since when each plug is ON or OFF, for the minimum times, and whether its timer works. */
  readonly memory: KeyValue;
  readonly problems: Pick<Problems, "start" | "end">;
  readonly log: { info(facts: object, text: string): void };
}

type ReportedPlug = Pick<PlugSnapshot, "id" | "name"> & Pick<PlugRules, "whenLost">;

/** A decision, and the state before it. */
interface Decided {
  readonly before: PlugState;
  readonly decision: PlugDecision;
  readonly rules: PlugRules;
  readonly why: string | undefined;
  readonly refusal: Text | null;
}

export class PlugReport {
  readonly #deps: PlugReportDeps;
  readonly #plug: ReportedPlug;
  /** Target state of the last command in the log. */
  #said: boolean | null = null;
  /** When a reading of the counter was last refused; null without one within REFUSAL_SHOWN_MS. */
  #refusedAt: EpochMs | null = null;

  constructor(plug: ReportedPlug, deps: PlugReportDeps) {
    this.#plug = plug;
    this.#deps = deps;
  }

  /** Name in the memory of the time since when the plug is ON or OFF. */
  get sinceMemory(): string {
    return `plug/${this.#plug.id}`;
  }

  /** True if the device's timer was seen to work; null if it has to be observed. */
  get timerWorks(): true | null {
    return this.#deps.memory.read(this.#timerMemory) === "works" ? true : null;
  }

  get #timerMemory(): string {
    return `plug/${this.#plug.id}/timer`;
  }

  take({ before, decision, rules, why, refusal }: Decided, now: EpochMs): void {
    const { state, targetOn, reason, commands } = decision;
    const { log, memory } = this.#deps;
    const id = this.#plug.id;
    const hasMinimum = rules.minOnMs > 0 || rules.minOffMs > 0;
    if (hasMinimum && state.since && state.since !== before.since)
      memory.write(this.sinceMemory, JSON.stringify(state.since));
    if (targetOn !== null && commands.length > 0 && targetOn !== this.#said) {
      this.#said = targetOn;
      log.info({ plug: id, wanted: targetOn, reason, why }, "command sent to plug");
    }
    if (state.manualOverride !== null && before.manualOverride === null)
      log.info({ plug: id, on: state.manualOverride }, "plug switched manually");
    this.#reportRefusal(refusal, now);
    if (state.unresponsive && !before.unresponsive && refusal === null) this.#reportSilence(state, now);
    if (!state.unresponsive && before.unresponsive) this.#deps.problems.end(`plug ${id}`);
    this.#reportTimer(before, state, rules, now);
  }

  /** Reports a wrong reading of the plug's counter; null for a reading that is counted. */
  takeReading(refusedKwh: number | null, now: EpochMs): void {
    const { log, problems } = this.#deps;
    const { id, name } = this.#plug;
    const subject = `meter of plug ${id}`;
    if (refusedKwh !== null) {
      if (this.#refusedAt === null)
        log.info({ plug: id, kwh: refusedKwh }, "wrong reading of a plug's counter ignored");
      this.#refusedAt = now;
      const detail = message("found.meter_refused", { kwh: rounded(refusedKwh) });
      problems.start({ code: "plug_meter", subject, since: now, names: { name }, detail });
    } else if (this.#refusedAt !== null && now - this.#refusedAt >= REFUSAL_SHOWN_MS) {
      this.#refusedAt = null;
      problems.end(subject);
    }
  }

  end(): void {
    const { id } = this.#plug;
    for (const what of ["", "access to ", "timer of ", "meter of "]) this.#deps.problems.end(`${what}plug ${id}`);
  }

  #reportSilence({ available, sent }: PlugState, now: EpochMs): void {
    this.#deps.problems.start({
      code: "plug_silent",
      subject: `plug ${this.#plug.id}`,
      since: now,
      names: { name: this.#plug.name },
      detail: message(available === false ? "found.plug_offline" : "found.plug_silent", {
        state: message(sent?.on ? "word.on" : "word.off"),
      }),
    });
  }

  /** Reports a device that answers over HTTP and does not let elbro in. */
  #reportRefusal(refusal: Text | null, now: EpochMs): void {
    const subject = `access to plug ${this.#plug.id}`;
    const { problems } = this.#deps;
    const facts = { subject, since: now, names: { name: this.#plug.name } };
    if (refusal === null) problems.end(subject);
    else problems.start({ code: "plug_refuses", ...facts, detail: refusal });
  }

  /** Stores whether the timer was seen to work, and reports a plug without a working timer. */
  #reportTimer(before: PlugState, { timerWorks, timerMisfits }: PlugState, rules: PlugRules, now: EpochMs): void {
    const { memory, problems } = this.#deps;
    if (rules.isTimerUnsure && timerWorks !== before.timerWorks)
      memory.write(this.#timerMemory, timerWorks ? "works" : "none");
    const isMissing = rules.isTimerUnsure && timerWorks !== true && memory.read(this.#timerMemory) === "none";
    const subject = `timer of plug ${this.#plug.id}`;
    const timed = message(this.#plug.whenLost === "on" ? "word.off" : "word.on");
    const failed = timerMisfits ? "found.timer_misfits" : "found.timer_failed";
    if (isMissing || (this.#plug.whenLost === "on" && rules.deadMan === null))
      problems.start({
        code: "plug_without_timer",
        subject,
        since: now,
        names: { name: this.#plug.name, state: timed },
        detail: message(isMissing ? failed : "found.timer_missing", { state: timed }),
      });
    else problems.end(subject);
  }
}
