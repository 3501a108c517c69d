/** Scripts of modules of the dashboard, for pages that tests and benches open: the built files export nothing by name. */
import path from "node:path";
import { build } from "rolldown";

const DASHBOARD = path.resolve(import.meta.dirname, "../../../src/server/web/dashboard");

/** Bundles a source for browsers. Its imports begin at the folder of the dashboard, as in `./chart.ts`. */
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
