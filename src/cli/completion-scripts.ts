/** A command, as far as a shell has to know it. */
export interface Known {
  /** One word or two: `task get`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly name: string; readonly help: string; readonly takesValue: boolean }[];
}

export function bashScript(commands: readonly Known[]): string {
  return `# Completes tandem in bash. Made by: tandem completion bash
_tandem() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]} \${COMP_WORDS[2]}" words
  case "$command" in
${cases(commands)}
    *) words='' ;;
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then words='${firstWords(commands).join(' ')} help'; fi
  if [[ $COMP_CWORD -eq 2 ]]; then
    case "\${COMP_WORDS[1]}" in
${groups(commands)
  .map(([group, members]) => `      ${group}) words='${members.join(' ')}' ;;`)
  .join('\n')}
    esac
  fi
  if [[ $COMP_CWORD -gt 1 && $word != -* && -z $words ]] || [[ $word != -* && $COMP_CWORD -gt 2 ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}
complete -o default -F _tandem tandem
`;
}

function cases(commands: readonly Known[]): string {
  return commands
    .map(({ name, options }) => {
      const pattern = name.includes(' ') ? `'${name}'` : `${name}\\ *`;
      return `    ${pattern}) words='${options.map((option) => `--${option.name}`).join(' ')}' ;;`;
    })
    .join('\n');
}

export function zshScript(commands: readonly Known[]): string {
  const described = commands.map(({ name, options }) => {
    const specs = options.map(
      ({ name: option, help, takesValue }) => `'--${option}[${quoted(help)}]${takesValue ? ':value:_files' : ''}'`,
    );
    return `    '${name}') _arguments ${specs.join(' ')} '*:file:_files' ;;`;
  });
  const first = commands
    .filter(({ name }) => !name.includes(' '))
    .map(({ name, summary }) => `'${name}:${quoted(summary)}'`);
  return `#compdef tandem
# Completes tandem in zsh. Made by: tandem completion zsh
_tandem() {
  local -a names
  if (( CURRENT == 2 )); then
    names=(${[...first, ...groups(commands).map(([group]) => `'${group}'`)].join(' ')})
    _describe command names
    return
  fi
  case "$words[2]" in
${groups(commands)
  .map(
    ([group, members]) =>
      `    ${group}) if (( CURRENT == 3 )); then names=(${members.join(' ')}); _describe command names; return; fi ;;`,
  )
  .join('\n')}
  esac
  local name="$words[2]"
  [[ "$name" == (${groups(commands)
    .map(([group]) => group)
    .join('|')}) ]] && name="$words[2] $words[3]"
  case "$name" in
${described.join('\n')}
  esac
}
_tandem "$@"
`;
}

export function fishScript(commands: readonly Known[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => {
    const [first = '', second] = name.split(' ');
    const seen =
      second === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
    const offered =
      second === undefined
        ? `complete -c tandem -f -n __fish_use_subcommand -a ${first} -d '${quoted(summary)}'`
        : `complete -c tandem -f -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${second}' -a ${second} -d '${quoted(summary)}'`;
    return [
      offered,
      ...options.map(
        ({ name: option, help, takesValue }) =>
          `complete -c tandem -n '${seen}' -l ${option}${takesValue ? ' -r' : ''} -d '${quoted(help)}'`,
      ),
    ];
  });
  const groupLines = groups(commands).map(([group]) => `complete -c tandem -f -n __fish_use_subcommand -a ${group}`);
  return ['# Completes tandem in fish. Made by: tandem completion fish', ...groupLines, ...lines, ''].join('\n');
}

function firstWords(commands: readonly Known[]): readonly string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
}

/** The first words that need a second one, with what that can be. */
function groups(commands: readonly Known[]): readonly (readonly [string, readonly string[]])[] {
  const found = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    if (second !== undefined) found.set(first, [...(found.get(first) ?? []), second]);
  }
  return [...found];
}

/** Inside of single quotes, and of the brackets of zsh. */
function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(/[[\]:]/g, '');
}
