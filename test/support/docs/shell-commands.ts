/** Commands of the documentation: the code blocks with the language `sh`. */
import { pageNames, pageText } from "./docs-pages.ts";

export interface ShellCommand {
  readonly page: string;
  /** One command, without its comment; `npm start -- x` and `elbro x` stay unchanged. */
  readonly text: string;
  /** The lines that the page shows as its output. */
  readonly output: readonly string[];
}

const COMMAND = /^(npm|npx|pipx|curl|docker|elbro|git)\b/;

/** All commands of all pages, in their order. */
export function shellCommands(): ShellCommand[] {
  return pageNames().flatMap((page) =>
    [...pageText(page).matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block = ""]) => commandsIn(page, block)),
  );
}

function commandsIn(page: string, block: string): ShellCommand[] {
  const commands: { page: string; text: string; output: string[] }[] = [];
  for (const line of block
    .replace(/\\\n */g, "")
    .trimEnd()
    .split("\n")) {
    const text = line
      .replace(/ +# .*$/, "")
      .trim()
      .replace(/^sudo elbro/, "elbro");
    if (COMMAND.test(text)) commands.push({ page, text, output: [] });
    else commands.at(-1)?.output.push(text);
  }
  return commands;
}
