import { isatty } from "node:tty";
import { readBounded } from "../../config/reading/bounded-file.ts";
import { errorMessage } from "../../core/text/error-words.ts";
import { hashPassword } from "../../mqtt/broker/users.ts";
import { BadArgument } from "../arguments.ts";
import { print } from "../output.ts";

const STDIN = 0;
const MAX_PASSWORD_BYTES = 64 * 1024;

export const line = {
  usage: "hash-password",
  about: "Reads a password from standard input and prints its hash for broker.users in the configuration.",
  takes: [],
};

export async function main(): Promise<number> {
  if (isatty(STDIN)) process.stderr.write("elbro: type the password, then Enter and Ctrl-D\n");
  const password = readPassword();
  if (password === "") throw new BadArgument("hash-password: expected a password on standard input");
  print(await hashPassword(password));
  return 0;
}

function readPassword(): string {
  try {
    return readBounded(STDIN, MAX_PASSWORD_BYTES).replace(/\r?\n$/, "");
  } catch (error) {
    throw new BadArgument(`hash-password: cannot read standard input: ${errorMessage(error)}`);
  }
}
