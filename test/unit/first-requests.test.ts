import { channel } from "node:diagnostics_channel";
import { expect, test } from "vitest";
import { answerFirstRequests } from "../../src/server/first-requests.ts";

/** After so many objects of a class V8 no longer changes their size. */
const MEASURED = 7;

test("more requests are answered than V8 takes measure on", async () => {
  let answered = 0;
  const count = () => {
    answered++;
  };
  const finished = channel("http.server.response.finish");
  finished.subscribe(count);
  await answerFirstRequests();
  finished.unsubscribe(count);
  expect(answered).toBeGreaterThan(MEASURED);
});
