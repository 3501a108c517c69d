import { readFileSync } from "node:fs";
import { isatty } from "node:tty";
import { hashPassword } from "../../mqtt/broker/users.ts";
import { BadArgument } from "../arguments.ts";

const STDIN = 0;

export const line = {
  usage: "hash-password",
  about: "Reads a password from standard input and prints what may stand for it in broker.users of the configuration.",
  takes: [],
};

/** `elbro hash-password` */
export async function main(): Promise<number> {
  if (isatty(STDIN)) process.stderr.write("elbro: type the password, then Enter and Ctrl-D\n");
  const password = readFileSync(STDIN, "utf8").replace(/\r?\n$/, "");
  if (password === "") throw new BadArgument("hash-password: expected a password on standard input");
  process.stdout.write(`${await hashPassword(password)}\n`);
  return 0;
}
