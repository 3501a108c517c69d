import fc from "fast-check";
import { expect, test } from "vitest";
import { digestAuthorization, digestChallengeIn } from "../../../src/plugs/digest-auth.ts";

/** Source: RFC 7616, 3.9.1. */
const CHALLENGE =
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
const MUFASA = {
  username: "Mufasa",
  password: "Circle of Life",
  method: "GET",
  uri: "/dir/index.html",
  count: 1,
  cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
};

test("the example of the specification has the response that it names", () => {
  const challenge = digestChallengeIn(CHALLENGE);
  expect(challenge).toMatchObject({ realm: "http-auth@example.org", hasQop: true, isStale: false });
  expect(challenge && digestAuthorization(challenge, MUFASA)).toContain(
    'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"',
  );
});

test.each([
  ["no header", undefined],
  ["basic authentication", 'Basic realm="plug"'],
  ["an older algorithm", 'Digest realm="a", nonce="b", algorithm=MD5, qop="auth"'],
  ["no nonce", 'Digest realm="a", algorithm=SHA-256, qop="auth"'],
  ["a protection that needs the body", 'Digest realm="a", nonce="b", algorithm=SHA-256, qop="auth-int"'],
])("%s is no challenge", (_, header) => {
  expect(digestChallengeIn(header)).toBeNull();
});

test("any header is read without an exception, and any challenge is answered in one line", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (header, text) => {
      digestChallengeIn(header);
      const challenge = digestChallengeIn(`Digest realm="${text}", nonce="${text}", algorithm=SHA-256`);
      if (challenge) expect(digestAuthorization(challenge, MUFASA).startsWith("Digest username=")).toBe(true);
    }),
  );
});
