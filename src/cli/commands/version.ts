import { VERSION } from "../../core/status/version.ts";
import { print } from "../output.ts";

export const line = { usage: "version", about: "Prints the version.", takes: [] };

export async function main(): Promise<number> {
  print(VERSION);
  return 0;
}
