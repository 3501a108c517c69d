/** Formats metrics as text 0.0.4. Source: https://prometheus.io/docs/instrumenting/exposition_formats/ */

/** One value with its labels. `value` is null if it is unknown; the sample is then omitted. */
export type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number | null };

export interface MetricFamily {
  readonly name: string;
  readonly type: "gauge" | "counter" | "summary";
  readonly help: string;
  readonly samples: readonly Sample[];
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Maximum number of samples of a metric. With 1,000 homes, the largest has 7,000, one for each series. */
const MAX_SAMPLES = 20_000;

/** Returns the text of some metrics. Omits a metric without values. */
export function metricsText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join("");
}

function familyText({ name, type, help, samples }: MetricFamily): string {
  const lines = samples.slice(0, MAX_SAMPLES).flatMap(({ labels, value }) => {
    return value === null ? [] : [`${name}${labelsText(labels ?? {})} ${numberText(value)}\n`];
  });
  if (lines.length === 0) return "";
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const texts = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value).replaceAll('"', '\\"')}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return Number.isNaN(value) ? "NaN" : String(value);
}
