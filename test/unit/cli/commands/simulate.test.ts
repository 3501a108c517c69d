import { expect, test } from "vitest";
import { readCommandLine } from "../../../../src/cli/arguments.ts";
import { line, simulatorOptions } from "../../../../src/cli/commands/simulate.ts";

function read(argv: readonly string[]) {
  const given = readCommandLine(line, argv, {});
  return given.kind === "help" ? given.kind : simulatorOptions(given, () => 0);
}

test("without arguments the simulator runs on loopback port 9000", () => {
  expect(read([])).toMatchObject({
    port: 9000,
    host: "127.0.0.1",
    seed: 1,
    clock: { speed: 1 },
    limits: { minute: 60, day: 2000 },
    homes: ["danish", "swedish"],
    hashEncoding: "hex",
  });
});

test("every argument is parsed", () => {
  const argv =
    "--port 0 --host ::1 --seed 7 --clock 2025-10-25T20:00:00Z --speed 60 --limits 5/50 --homes norwegian --hash-encoding base64";
  expect(read(argv.split(" "))).toMatchObject({
    port: 0,
    host: "::1",
    seed: 7,
    clock: { at: Date.UTC(2025, 9, 25, 20), speed: 60 },
    limits: { minute: 5, day: 50 },
    homes: ["norwegian"],
    hashEncoding: "base64",
  });
});

test("--help returns help", () => {
  expect(read(["--help"])).toBe("help");
});

test.each([
  [["--port", "70000"], '--port is "70000"; expected a number from 0 to 65535'],
  [["--port", ""], '--port is ""'],
  [["--speed", "-1"], "--speed"],
  [["--speed", "fast"], '--speed is "fast"; expected a number from 0 to 100000'],
  [["--clock", "2025-10-25"], '--clock: "2025-10-25" is not an RFC 3339'],
  [["--limits", "60"], '--limits is "60"; expected MINUTE/DAY such as 60/2000'],
  [["--limits", "0/10"], "--limits"],
  [["--homes", "danish,finnish"], '--homes has "finnish"; expected some of danish,swedish,norwegian'],
  [["--hash-encoding", "md5"], '--hash-encoding is "md5"'],
  [["--prices", "/no/such/file"], "--prices /no/such/file: ENOENT"],
  [["--faults", "/no/such/file"], "--faults /no/such/file: ENOENT"],
  [["--faults", new URL(import.meta.url).pathname], "not JSON"],
  [["--replay"], "--replay needs --prices FILE"],
  [["--bogus"], "--bogus"],
  [["loose"], "usage: elbro simulate; see elbro simulate --help"],
])("%j is rejected with one sentence", (argv, expected) => {
  expect(() => read(argv)).toThrow(expected);
});
