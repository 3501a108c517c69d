import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { metricRows } from "../../../../src/api/monitoring/metrics.ts";
import { type MetricFamily, metricsText } from "../../../../src/api/monitoring/prometheus-text.ts";
import { readMetrics } from "../../../support/prometheus/metrics-parser.ts";

const gauge = (samples: MetricFamily["samples"], help = "Help."): MetricFamily => ({
  name: "elbro_a",
  type: "gauge",
  help,
  samples,
});

describe("metricsText", () => {
  test("metricsText writes the format as documented by Prometheus", () => {
    const text = metricsText([
      gauge([
        { labels: { home: "home", window: "day" }, value: 1.5 },
        { labels: { home: 'a "b"\\c\nd' }, value: -0.25 },
      ]),
      { name: "elbro_b_total", type: "counter", help: "Back\\slash\nand line.", samples: [{ value: 0 }] },
    ]);
    expect(text).toBe(
      [
        "# HELP elbro_a Help.",
        "# TYPE elbro_a gauge",
        'elbro_a{home="home",window="day"} 1.5',
        'elbro_a{home="a \\"b\\"\\\\c\\nd"} -0.25',
        "# HELP elbro_b_total Back\\\\slash\\nand line.",
        "# TYPE elbro_b_total counter",
        "elbro_b_total 0",
        "",
      ].join("\n"),
    );
  });

  test("metricsText omits unknown values, and names without values", () => {
    expect(metricsText([gauge([{ value: null }])])).toBe("");
    expect(
      metricsText([
        gauge([
          { labels: { a: "1" }, value: null },
          { labels: { a: "2" }, value: 3 },
        ]),
      ]),
    ).toBe('# HELP elbro_a Help.\n# TYPE elbro_a gauge\nelbro_a{a="2"} 3\n');
  });

  test("metricsText writes at most 20,000 values per name", () => {
    const samples = Array.from({ length: 20_001 }, (_, i) => ({ labels: { i: String(i) }, value: i }));
    expect(metricsText([gauge(samples)]).match(/^elbro_a\{/gm)).toHaveLength(20_000);
  });

  test("metricsText writes any label and number so that it can be parsed unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), fc.double(), (label, help, value) => {
        const [metric] = readMetrics(metricsText([gauge([{ labels: { label }, value }], help)]));
        expect(metric).toEqual({ ...gauge([{ labels: { label }, value: Object.is(value, -0) ? 0 : value }], help) });
      }),
    );
  });
});

describe("readMetrics rejects", () => {
  test.each([
    ["no line end", "# HELP a b\n# TYPE a gauge\na 1"],
    ["a value without a type", "a 1\n"],
    ["a type without help", "# TYPE a gauge\na 1\n"],
    ["no value", "# HELP a b\n# TYPE a gauge\n"],
    ["a counter that does not say so", "# HELP a b\n# TYPE a counter\na 1\n"],
    ["milliseconds", "# HELP a_milliseconds b\n# TYPE a_milliseconds gauge\na_milliseconds 1\n"],
    ["a quote in a label", '# HELP a b\n# TYPE a gauge\na{b="c"d"} 1\n'],
    ["an unknown escape", '# HELP a b\n# TYPE a gauge\na{b="\\t"} 1\n'],
    ["the same labels twice", '# HELP a b\n# TYPE a gauge\na{b="1"} 1\na{b="1"} 2\n'],
    ["one label twice", '# HELP a b\n# TYPE a gauge\na{b="1",b="2"} 1\n'],
    ["a group in two parts", "# HELP a b\n# TYPE a gauge\na 1\n# HELP c d\n# TYPE c gauge\nc 1\na 2\n"],
    ["null", "# HELP a b\n# TYPE a gauge\na null\n"],
  ])("%s", (_what, text) => {
    expect(() => readMetrics(text)).toThrow();
  });
});

test("every metric has a unique name, a sentence, and labels in lower case", () => {
  expect(new Set(metricRows.map(({ name }) => name)).size).toBe(metricRows.length);
  for (const { name, help, labels, type } of metricRows) {
    expect(name).toMatch(/^(elbro|process|nodejs)_[a-z_]+$/);
    expect(help).toMatch(/^[A-Z1].*\.$/);
    expect(labels.every((label) => /^[a-z]+$/.test(label))).toBe(true);
    expect(name.endsWith("_total")).toBe(type === "counter");
  }
});
