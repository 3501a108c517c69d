import { describe, expect, test } from "vitest";
import { TerminalLog } from "../../../src/cli/terminal-log.ts";

function terminal(colors: "none" | "ansi" = "none", columns = 80) {
  let screen = "";
  const log = new TerminalLog({ write: (text) => (screen += text), columns: () => columns, colors });
  return { log, screen: () => screen };
}

/** Returns the lines that are visible on a terminal, without cleared ones. */
function seen(screen: string): string[] {
  return screen.split("\n").map((line) => line.split("\r\u001b[K").at(-1) ?? "");
}

function record(level: number, msg: string, facts: object = {}): string {
  return `${JSON.stringify({ level, time: "2026-11-21T10:42:07.123Z", ...facts, msg })}\n`;
}

describe("a log line", () => {
  test("a log line contains time, level, message and fields", () => {
    const { log, screen } = terminal();
    log.write(record(30, "history filled", { home: "home", rows: 24, detail: "two words", known: null }));
    expect(screen()).toMatch(/^\d\d:42:07 info {2}history filled home=home rows=24 detail="two words" known=null\n$/);
  });

  test("a log line has the date if the output is a file", () => {
    let written = "";
    const log = new TerminalLog({
      ...{ write: (text) => (written += text), columns: () => 80, colors: "none" },
      times: "day and clock",
    });
    log.write(record(40, "problem"));
    expect(written).toMatch(/^2026-11-2\d \d\d:42:07 WARN {2}problem\n$/);
  });

  test("a log line cannot control the terminal by the texts of others", () => {
    const { log, screen } = terminal();
    log.write(record(30, "a home", { home: "\u001b[31mred\u009b0m", name: "two\nlines" }));
    expect(screen().slice(0, -1)).not.toMatch(/\p{Cc}/u);
  });

  test('a log line is coloured by its level only with "ansi"', () => {
    const { log, screen } = terminal("ansi");
    log.write(record(40, "problem"));
    expect(screen()).toContain("\u001b[33m");
    expect(screen().endsWith("\u001b[0m\n")).toBe(true);
    const plain = terminal();
    plain.log.write(record(40, "problem"));
    expect(plain.screen()).not.toContain("\u001b");
  });

  test("that is not a JSON record is written unchanged", () => {
    const { log, screen } = terminal();
    log.write("hello\n");
    log.write("[1]\n");
    expect(screen()).toBe("hello\n[1]\n");
  });
});

describe("progress", () => {
  test("progress is displayed below the log, and removed when complete", () => {
    const { log, screen } = terminal();
    log.progress("history", { known: 50, wanted: 200 });
    log.write(record(30, "one"));
    expect(seen(screen()).at(-1)).toBe("history 25 % (50 of 200 days)");
    expect(seen(screen())[0]).toMatch(/one$/);
    log.progress("history", { known: 200, wanted: 200 });
    log.write(record(30, "two"));
    expect(seen(screen())).toEqual([expect.stringMatching(/one$/), expect.stringMatching(/two$/), ""]);
  });

  test("progress is never wider than the terminal, and written only when it changes", () => {
    const { log, screen } = terminal("none", 12);
    log.progress("history", { known: 1, wanted: 2, note: ", waiting" });
    const before = screen();
    expect(seen(before)[0]?.length).toBe(11);
    log.progress("history", { known: 1, wanted: 2, note: ", waiting" });
    expect(screen()).toBe(before);
  });
});
