import { expect, test } from "vitest";
import { refusalLog } from "../../../../src/mqtt/broker/refusal-log.ts";

function logAt() {
  const written: unknown[] = [];
  const clock = { nowMs: 0 };
  const report = refusalLog(
    ({ address, repeated }) => written.push([address, repeated]),
    () => clock.nowMs,
  );
  const refuse = (address: string, reason = "wrong user name or password") => report({ address, reason, user: null });
  return { written, clock, refuse };
}

test("each address and each reason is logged immediately", () => {
  const { written, refuse } = logAt();
  refuse("192.0.2.1");
  refuse("192.0.2.2");
  refuse("192.0.2.1", "too many clients");
  expect(written).toEqual([
    ["192.0.2.1", 0],
    ["192.0.2.2", 0],
    ["192.0.2.1", 0],
  ]);
});

test("repeated rejections of a client are logged once per minute with their number", () => {
  const { written, clock, refuse } = logAt();
  for (; clock.nowMs < 120_000; clock.nowMs += 1_000) refuse("192.0.2.1");
  expect(written).toEqual([
    ["192.0.2.1", 0],
    ["192.0.2.1", 59],
  ]);
});

test("only the newest of thousands of addresses are remembered", () => {
  const { written, refuse } = logAt();
  for (let i = 0; i < 1_000; i++) refuse(`192.0.2.${i}`);
  written.length = 0;
  refuse("192.0.2.999");
  refuse("192.0.2.0");
  expect(written).toEqual([["192.0.2.0", 0]]);
});
