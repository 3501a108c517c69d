/**
 * Bundles dashboard modules as scripts for pages of tests and benches, because the built files have no named exports.
 */
import path from "node:path";
import { build } from "rolldown";

const DASHBOARD = path.resolve(import.meta.dirname, "../../../src/dashboard");

/** Bundles a source for browsers. Relative imports start in the dashboard's folder: `./chart.ts`. */
export async function pageScript(source: string): Promise<string> {
  const entry = path.join(DASHBOARD, "entry.tsx");
  const { output } = await build({
    input: entry,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
    platform: "browser",
    tsconfig: path.join(DASHBOARD, "tsconfig.json"),
    write: false,
    output: { codeSplitting: false },
  });
  return output[0].code;
}
