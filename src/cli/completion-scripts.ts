/** Scripts by which shells complete the command line, made from the table of the commands. */

/** A command with what may follow it. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  /** Words of which the first one is chosen, such as `create` and `list`. */
  readonly words: readonly string[];
  /** Names of the options, without dashes. */
  readonly options: readonly string[];
}

type Script = (commands: readonly CompletedCommand[]) => string;

export const completionScripts = { bash, zsh, fish } satisfies Record<string, Script>;

function followersOf({ words, options }: CompletedCommand): string {
  return [...words, ...options.map((option) => `--${option}`)].join(" ");
}

function bash(commands: readonly CompletedCommand[]): string {
  return `_elbro() {
  local words="${commands.map(({ name }) => name).join(" ")}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${commands.map((command) => `      ${command.name}) words="${followersOf(command)}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _elbro elbro
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  return `#compdef elbro
_elbro() {
  local -a commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${commands.map((command) => `    ${command.name}) compadd -- ${followersOf(command)} ;;`).join("\n")}
  esac
  _files
}
compdef _elbro elbro
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, words, options }) => [
    `complete -c elbro -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...words.map((word) => `complete -c elbro -n '__fish_seen_subcommand_from ${name}' -a ${word}`),
    ...options.map((option) => `complete -c elbro -n '__fish_seen_subcommand_from ${name}' -l ${option}`),
  ]);
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
