/** Where the configuration is, and how it is read on this machine. */
import { existsSync, readFileSync } from "node:fs";
import { readConfig } from "./config/load.ts";
import type { ConfigMistake } from "./config/mistake.ts";
import type { Config } from "./config/schema.ts";
import { StartError } from "./start-error.ts";

const DEFAULT_PATHS = ["./config/elbro.yaml", "/data/elbro.yaml"];
/** Of an app of Home Assistant: a file of the owner's own, else what is set on the app's page. */
const APP_PATHS = ["/config/elbro.yaml", "/data/options.json"];

export interface Configuration {
  readonly config: Config;
  /** The file; null where there is none. */
  readonly path: string | null;
  /** What is no mistake and yet not well. */
  readonly warnings: readonly string[];
}

/** Reads the configuration of `given`, or of the first place that has one. Errors: throws a StartError with every mistake. */
export function loadConfiguration(given: string | null): Configuration {
  const paths = process.env.SUPERVISOR_TOKEN === undefined ? DEFAULT_PATHS : APP_PATHS;
  const path = given ?? paths.find((each) => existsSync(each)) ?? null;
  const text = path === null ? null : readText(path);
  const reading = readConfig({ text, environment: process.env, readFile: (file) => readFileSync(file, "utf8") });
  if (reading.kind === "config") return { config: reading.config, path, warnings: [] };
  throw new StartError(
    `the configuration${path === null ? "" : ` ${path}`} cannot be used:\n${reading.mistakes.map(lineOf).join("\n")}`,
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartError(
      `cannot read the configuration ${path}: ${error instanceof Error ? error.message : "unknown error"}`,
    );
  }
}

function lineOf({ path, text }: ConfigMistake): string {
  return `  ${path}: ${text}`;
}
