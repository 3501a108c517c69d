import { PassThrough } from "node:stream";
import type { Client } from "aedes";
import { expect, test } from "vitest";
import { rulesOf } from "../../../../src/mqtt/broker/authorization.ts";
import type { NetworkConnection } from "../../../../src/mqtt/broker/network-connection.ts";
import { BrokerUsers } from "../../../../src/mqtt/broker/users.ts";

const users = ["plugs", "ha"].map((name) => ({ name, password: name, commands: false }));

/** Rules of a broker, with logins from any address. */
function ruled() {
  const connections = new Map<Client, NetworkConnection>();
  const rules = rulesOf(
    {
      ...{ users: new BrokerUsers(users), anonymous: false, baseTopic: "elbro", discoveryPrefix: "homeassistant" },
      onRefused: () => undefined,
    },
    (client) => connections.get(client),
  );
  let count = 0;
  /** Returns the reason for rejection, or `in`. */
  return (name: string, address: string, password = name) =>
    new Promise<string>((resolve) => {
      const client = { id: `client-${count++}` } as Client;
      const connection = {
        ...{ address, isLocal: true, stream: new PassThrough(), admit: () => undefined },
        refuse: resolve,
      };
      connections.set(client, connection as unknown as NetworkConnection);
      rules.authenticate(client, name, Buffer.from(password), (_error, isIn) => isIn && resolve("in"));
    });
}

test("one user gets at most three quarters of the connections, from any number of addresses", async () => {
  const login = ruled();
  const answers: string[] = [];
  for (let i = 0; i < 193; i++) answers.push(await login("plugs", `192.168.1.${i % 3}`));
  expect(answers.slice(0, 192)).toEqual(new Array(192).fill("in"));
  expect(answers[192]).toBe("more than 192 clients of this user");
  expect(await login("ha", "192.168.1.9")).toBe("in");
});

test("a known name is locked out exactly as an unknown one", async () => {
  const [login, address] = [ruled(), "192.168.1.7"];
  const guesses = async (name: string) => {
    const answers: string[] = [];
    for (let i = 0; i < 6; i++) answers.push(await login(name, address, "wrong"));
    return answers;
  };
  expect(await guesses("nobody")).toEqual(await guesses("plugs"));
  for (let i = 0; i < 18; i++) await login(`nobody-${i}`, address, "wrong");
  const locked = "too many wrong passwords; try again later";
  expect(await Promise.all(["ha", "somebody"].map((name) => login(name, address, "wrong")))).toEqual([locked, locked]);
  expect(await login("ha", "192.168.1.8")).toBe("in");
});

test("wrong passwords also delay a user who was right from that address, by 2 s", async () => {
  const [login, address] = [ruled(), "192.168.1.7"];
  expect(await login("ha", address)).toBe("in");
  const answers: string[] = [];
  for (let i = 0; i < 400; i++) answers.push(await login("ha", address, "wrong"));
  expect(answers.filter((answer) => answer === "wrong user name or password").length).toBeLessThan(10);
});
