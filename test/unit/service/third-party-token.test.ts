import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type HashEncoding, thirdPartyToken, verifyThirdPartyToken } from "../../../src/service/third-party-token.ts";

const encodings = ["hex", "base64"] as const satisfies readonly HashEncoding[];
const credentials = fc.record({
  apiKey: fc.string({ unit: "binary", minLength: 1 }),
  apiSecret: fc.string({ minLength: 1 }),
});
const home = { apiKey: "what do ya want for nothing?", apiSecret: "Jefe" };

describe("thirdPartyToken", () => {
  test("thirdPartyToken returns the token of RFC 4231, test case 2, with a hash in lower-case hexadecimal", () => {
    const hash = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    const token =
      "d2hhdCBkbyB5YSB3YW50IGZvciBub3RoaW5nPzo1YmRjYzE0NmJmNjA3NTRlNmEwNDI0MjYwODk1NzVjNzVhMDAzZjA4OWQyNzM5ODM5ZGVjNThiOTY0ZWMzODQz";
    expect(atob(token)).toBe(`${home.apiKey}:${hash}`);
    expect(thirdPartyToken(home, "hex")).toBe(token);
  });

  test("thirdPartyToken returns the token of RFC 4231, test case 2, with a hash in base64", () => {
    const token = thirdPartyToken(home, "base64");
    expect(atob(token)).toBe(`${home.apiKey}:W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=`);
  });

  test.each(encodings)(
    "thirdPartyToken equals the result of node:crypto and Buffer for any credentials, %s",
    (encoding) => {
      fc.assert(
        fc.property(credentials, ({ apiKey, apiSecret }) => {
          const hash = createHmac("sha256", apiSecret).update(apiKey).digest(encoding);
          const expected = Buffer.from(`${apiKey}:${hash}`, "utf8").toString("base64");
          expect(thirdPartyToken({ apiKey, apiSecret }, encoding)).toBe(expected);
        }),
      );
    },
  );
});

describe("verifyThirdPartyToken", () => {
  test.each(encodings)(
    "verifyThirdPartyToken accepts the token and rejects every change of one character, %s",
    (encoding) => {
      const token = thirdPartyToken(home, encoding);
      expect(verifyThirdPartyToken(token, home, encoding)).toBe(true);
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= ";
      for (let i = 0; i < token.length; i++) {
        const [before, after] = [token.slice(0, i), token.slice(i + 1)];
        expect(verifyThirdPartyToken(before + after, home, encoding)).toBe(false);
        for (const other of alphabet.replace(token.charAt(i), "")) {
          expect(verifyThirdPartyToken(before + other + after, home, encoding)).toBe(false);
          expect(verifyThirdPartyToken(before + other + token.slice(i), home, encoding)).toBe(false);
        }
      }
      expect(verifyThirdPartyToken("", home, encoding)).toBe(false);
      expect(verifyThirdPartyToken(`${token}A`, home, encoding)).toBe(false);
    },
  );

  test("verifyThirdPartyToken rejects another key, another secret and the other encoding", () => {
    const token = thirdPartyToken(home, "hex");
    expect(verifyThirdPartyToken(token, { ...home, apiKey: "someone" }, "hex")).toBe(false);
    expect(verifyThirdPartyToken(token, { ...home, apiSecret: "jefe" }, "hex")).toBe(false);
    expect(verifyThirdPartyToken(token, home, "base64")).toBe(false);
  });
});
