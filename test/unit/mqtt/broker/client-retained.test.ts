import { describe, expect, test } from "vitest";
import { ClientRetained } from "../../../../src/mqtt/broker/client-retained.ts";

const MB = 1024 * 1024;
const OF_USER = "this user has reached the limit of retained messages";
const OF_ALL = "the broker has reached its limit of retained messages from clients";

/** Leaves messages of a size. Returns the first refusal. */
function fill(retained: ClientRetained, user: string, count: number, bytes: number): string | null {
  for (let i = 0; i < count; i++) {
    const refusal = retained.take(user, `${user}/${i}`, bytes);
    if (refusal !== null) return refusal;
  }
  return null;
}

describe("retained messages of clients", () => {
  test.each([
    ["messages", 15_000, 1],
    ["bytes", 24, MB],
  ])("of one user fill at most three quarters of the %s, so that others have the rest", (_, count, bytes) => {
    const retained = new ClientRetained();
    expect(fill(retained, "zigbee", count, bytes)).toBeNull();
    expect(retained.take("zigbee", "one/more", bytes)).toBe(OF_USER);
    expect(fill(retained, "other", count / 3, bytes)).toBeNull();
    expect(retained.take("third", "one/more", bytes)).toBe(OF_ALL);
  });

  test("are replaced at the limit, and one that ends makes room", () => {
    const retained = new ClientRetained();
    fill(retained, "zigbee", 15_000, 1);
    expect(retained.take("zigbee", "zigbee/0", 2)).toBeNull();
    expect(retained.take("zigbee", "zigbee/0", 0)).toBeNull();
    expect(retained.take("zigbee", "one/more", 1)).toBeNull();
  });
});
