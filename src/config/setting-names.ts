/** Top-level keys of the configuration that the dashboard may change: they concern neither accounts nor addresses. */
import type { Config } from "./schema.ts";

export const settingNames = [
  "language",
  "levels",
  "notify",
  "mdns",
  "log",
  "history",
  "retention",
] as const satisfies readonly (keyof Config)[];
export type SettingName = (typeof settingNames)[number];
