import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { completionScripts } from "../../../src/cli/completion-scripts.ts";

const commands = [
  { name: "keys", summary: "lists the owner's keys", words: ["create", "list"], options: ["json", "config"] },
  { name: "version", summary: "prints the version", words: [], options: [] },
];

/** Returns what bash offers for the words of a command line. */
function offeredFor(...words: string[]): string[] {
  const script = `${completionScripts.bash(commands)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _elbro; echo "\${COMPREPLY[*]}"`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split(" ").filter(Boolean);
}

test("bash completes commands, then the words and options of a command", () => {
  expect(offeredFor("elbro", "")).toEqual(["keys", "version"]);
  expect(offeredFor("elbro", "ke")).toEqual(["keys"]);
  expect(offeredFor("elbro", "keys", "")).toEqual(["create", "list", "--json", "--config"]);
  expect(offeredFor("elbro", "keys", "--j")).toEqual(["--json"]);
});

test.each(["zsh", "fish"] as const)("%s gets every command with its description, in quotes", (shell) => {
  const script = completionScripts[shell](commands);
  for (const text of ["keys", "version", "create", "json", String.raw`owner'\''s keys'`])
    expect(script).toContain(text);
});
