/**
 * Strict parser of the Prometheus text format 0.0.4. Violations of the format and warnings of `promtool check metrics`
 * are errors here.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/, https://prometheus.io/docs/practices/naming/
 */
export interface ReadMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

export type ReadSample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const NUMBER = "[+-]?(?:Inf|\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)|NaN";
const HELP_LINE = new RegExp(`^# HELP (${NAME}) ((?:[^\\\\]|\\\\[\\\\n])*)$`);
const TYPE_LINE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|summary)$`);
const SAMPLE_LINE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (${NUMBER})$`);
/** Units that are not base units, and suffixes that repeat the type. */
const BAD_UNITS = /_(milliseconds|ms|minutes|hours|days|kilobytes|percent|gauge|counter)(_|$)/;

/** Parses a complete response. Throws with the number and text of the first invalid line. */
export function readMetrics(text: string): ReadMetric[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const metrics: (ReadMetric & { samples: ReadSample[] })[] = [];
  let help: { name: string; text: string } | null = null;
  for (const [i, line] of text.slice(0, -1).split("\n").entries()) {
    const fail = (why: string): never => {
      throw new Error(`line ${i + 1}: ${why}: ${line}`);
    };
    const helpLine = HELP_LINE.exec(line);
    const typeLine = TYPE_LINE.exec(line);
    const sampleLine = SAMPLE_LINE.exec(line);
    if (helpLine) {
      if (help) fail("a HELP without its TYPE before");
      help = { name: helpLine[1] ?? "", text: unescaped(helpLine[2] ?? "") };
    } else if (typeLine) {
      const [, name = "", type = ""] = typeLine;
      if (!help || help.name !== name) fail("a TYPE without its HELP");
      if (metrics.some((metric) => metric.name === name)) fail("appears twice");
      if ((type === "counter") !== name.endsWith("_total")) fail("counters, and they alone, end in _total");
      if (BAD_UNITS.test(name)) fail("no base unit");
      metrics.push({ name, type, help: help?.text ?? "", samples: [] });
      help = null;
    } else if (sampleLine) {
      const [, name = "", labels = "", value = ""] = sampleLine;
      const metric = metrics.at(-1);
      if (metric?.name !== name || help) throw fail("a value outside its group");
      const sample = { labels: labelsOf(labels), value: Number(value.replace("Inf", "Infinity")) };
      if (metric.type === "counter" && !(sample.value >= 0)) fail("a counter below 0");
      const key = JSON.stringify(Object.entries(sample.labels).sort());
      if (metric.samples.some((other) => JSON.stringify(Object.entries(other.labels).sort()) === key)) fail("twice");
      metric.samples.push(sample);
    } else fail("neither HELP, TYPE nor a value");
  }
  for (const { name, samples } of metrics) if (samples.length === 0) throw new Error(`${name} has no value`);
  return metrics;
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"/g)) {
    if (Object.hasOwn(labels, name)) throw new Error(`the label ${name} stands twice in ${text}`);
    labels[name] = unescaped(value);
  }
  return labels;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_all, char: string) => (char === "n" ? "\n" : char));
}
