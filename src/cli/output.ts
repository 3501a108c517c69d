/** Output of the commands. */

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(data: unknown): void {
  print(JSON.stringify(data, null, 2));
}

/** Prints why a command failed. Returns its exit code. */
export function failed(why: string): 1 {
  process.stderr.write(`elbro: ${why}\n`);
  return 1;
}
