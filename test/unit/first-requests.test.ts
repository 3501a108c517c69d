import { channel } from "node:diagnostics_channel";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { answerFirstRequests } from "../../src/server/first-requests.ts";

/** After so many objects of a class V8 no longer changes their size. */
const MEASURED = 7;

test("an object of each class of a request outlives it, and every collection of garbage", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const objects: WeakRef<object>[][] = [];
  const look = (message: unknown) => {
    const { request, response } = message as { readonly request: object; readonly response: object };
    objects.push([new WeakRef(request), new WeakRef(response)]);
  };
  const finished = channel("http.server.response.finish");
  finished.subscribe(look);
  await answerFirstRequests();
  finished.unsubscribe(look);
  // A weak reference holds what it was asked for until the turn is over.
  await nextTurn();
  collect();
  const alive = objects.map((pair) => pair.filter((ref) => ref.deref() !== undefined).length);
  expect(alive.filter((count) => count === 2)).toHaveLength(1);
});

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
