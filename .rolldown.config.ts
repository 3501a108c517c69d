import { defineConfig } from "rolldown";

/**
 * One CommonJS file. CommonJS on purpose: an ESM import of node:http makes Node load its internal undici, 12 MB and
 * 21 ms that nothing here uses.
 */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  external: [/^node:/],
  resolve: {
    // The same code as Node's own streams, loaded twice otherwise: 6 MB and 27 ms.
    alias: { "readable-stream": "node:stream" },
  },
  output: { file: "dist/elbro.cjs", format: "cjs", minify: true, codeSplitting: false, comments: false },
});
