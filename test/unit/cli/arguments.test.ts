import { describe, expect, test } from "vitest";
import { type CommandLine, readCommandLine } from "../../../src/cli/arguments.ts";
import { commands } from "../../../src/cli/commands/command-table.ts";

const everything: CommandLine = { usage: "prices [HOME]", about: "Prints prices." };
const configured: CommandLine = { usage: "health", about: "Asks.", takes: ["config"] };
const bare: CommandLine = { usage: "version", about: "Prints the version.", takes: [] };

function optionsIn(line: CommandLine): string[] {
  const read = readCommandLine(line, ["--help"], {});
  return read.kind === "help" ? [...read.text.matchAll(/^ {2}--(\w+)/gm)].map(([, name = ""]) => name) : [];
}

describe("the arguments of a command", () => {
  test.each([
    [everything, ["config", "clock", "speed", "help"]],
    [configured, ["config", "help"]],
    [bare, ["help"]],
  ])("the arguments of a command are exactly those in its help: $usage", (line, options) => {
    expect(optionsIn(line)).toEqual(options);
  });

  test.each(Object.keys(commands))("the arguments of a command are in its help: %s", async (name) => {
    const { line } = (await commands[name]?.load()) ?? { line: bare };
    expect(readCommandLine(line, ["--help"], {})).toMatchObject({
      text: expect.stringContaining(`usage: elbro ${name}`),
    });
  });

  test("the arguments of a command are the only ones read, from arguments and environment", () => {
    const time = { ELBRO_CLOCK: "yesterday", ELBRO_SPEED: "fast" };
    expect(readCommandLine(configured, [], { ...time, ELBRO_CONFIG: "a.yaml" })).toMatchObject({
      configPath: "a.yaml",
      simulated: null,
    });
    expect(readCommandLine(bare, [], { ...time, ELBRO_CONFIG: "a.yaml" })).toMatchObject({ configPath: null });
    expect(() => readCommandLine(everything, [], time)).toThrow(/^ELBRO_CLOCK: "yesterday"/);
    expect(() => readCommandLine(configured, ["--clock", "2025-10-25T20:00:00Z"], {})).toThrow(
      "Unknown option '--clock'; see elbro health --help",
    );
  });

  test.each([
    ["check", ["--onlin"], "Unknown option '--onlin'; did you mean --online? see elbro check --help"],
    ["version", ["again"], "usage: elbro version; see elbro version --help"],
    ["run", ["--speed", "0"], '--speed: "0" is not a number above 0'],
    ["keys", ["revoke", "a", "--control"], "--control is for keys create only"],
  ])("the arguments of a command are refused in one sentence: %s %j", async (name, argv, sentence) => {
    const command = await commands[name]?.load();
    const run = async () => {
      const given = readCommandLine(command?.line ?? bare, argv, {});
      if (given.kind === "arguments") await command?.main(given);
    };
    await expect(run()).rejects.toThrow(sentence);
  });
});
