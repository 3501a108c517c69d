import { BadArgument, type Command, optionsOf } from "../arguments.ts";
import { type CompletedCommand, completionScripts } from "../completion-scripts.ts";

type Table = Readonly<Record<string, { readonly summary: string; readonly load: () => Promise<Command> }>>;

const shells = Object.keys(completionScripts) as (keyof typeof completionScripts)[];

const line = {
  usage: `completion ${shells.join("|")}`,
  about: `Prints a script that completes commands and options in a shell:

  bash   elbro completion bash > ~/.local/share/bash-completion/completions/elbro
  zsh    elbro completion zsh > "\${fpath[1]}/_elbro"
  fish   elbro completion fish > ~/.config/fish/completions/elbro.fish`,
  words: [1, 1] as const,
  takes: [],
};

export function completionOf(commands: Table): Command {
  return {
    line,
    async main({ words: [wanted = ""] }) {
      const shell = shells.find((each) => each === wanted);
      if (!shell) throw new BadArgument(`unknown shell "${wanted}"; expected one of ${shells.join(", ")}`);
      const all = Object.entries(commands).map(async ([name, { summary, load }]): Promise<CompletedCommand> => {
        const { line } = await load();
        const [, words = ""] = line.usage.split(" ");
        return { name, summary, words: /^[a-z|]+$/.test(words) ? words.split("|") : [], options: optionsOf(line) };
      });
      process.stdout.write(completionScripts[shell](await Promise.all(all)));
      return 0;
    },
  };
}
