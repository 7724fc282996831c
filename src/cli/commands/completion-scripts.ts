/** A command, as far as a shell needs to know it. */
export interface CompletedCommand {
  /** One word or two: `task get`. */
  readonly name: string;
  readonly summary: string;
  /** Whether its first argument is an agent, which can be the name of a peer. */
  readonly takesAgent: boolean;
  readonly options: readonly CompletedOption[];
}

interface CompletedOption {
  readonly name: string;
  readonly short: string | undefined;
  readonly help: string;
  /** How the help text shows the value: `<file>`, `<text|json>`. Undefined for a flag without a value. */
  readonly value: string | undefined;
}

/** The values that a shell can offer: fixed words, the names of peers, files, or none. */
type Values = readonly string[] | 'peers' | 'files' | 'none';

/** Values that help texts do not list. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  '<binding>': ['jsonrpc', 'rest'],
  '<version>': ['1.0', '0.3', '0.2', '0.1'],
};

function valuesOf(value: string): Values {
  if (value === '<agent>') return 'peers';
  if (/^<(?:file|folder|path)\b/.test(value)) return 'files';
  const words = Object.hasOwn(WORDS, value) ? WORDS[value] : undefined;
  if (words !== undefined) return words;
  const [, list] = /^<([a-z]+(?:\|[a-z]+)+)>$/.exec(value) ?? [];
  // `<id|name>` lists placeholders, not words.
  return list === undefined || list.startsWith('id|') ? 'none' : list.split('|');
}

const PEER_VERBS = ['list', 'add', 'remove'];

/** Lists the names of peers. The scripts run it when they need the names, so that they do not get out of date. */
const PEERS = 'tandem peers --names 2>/dev/null';

export function bashScript(commands: readonly CompletedCommand[]): string {
  const withValue = optionsOf(commands).filter(({ value }) => value !== undefined);
  return `# Completes tandem in bash. Created by: tandem completion bash
_tandem_peers() { ${PEERS}; }
_tandem() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" name="\${COMP_WORDS[1]}"
  local words='' options='' agent='' start=2 arguments=0 i
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '${firstWords(commands).join(' ')} help' -- "$word"))
    return
  fi
  case "$name" in
${groups(commands)
  .map(([group, members]) => `    ${group}) name="$name \${COMP_WORDS[2]}"; start=3; words='${members.join(' ')}' ;;`)
  .join('\n')}
  esac
  if [[ $COMP_CWORD -lt $start ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case "$name" in
${commands
  .map(
    ({ name, options, takesAgent }) =>
      `    '${name}') options='${options.map((option) => `--${option.name}`).join(' ')}'${takesAgent ? '; agent=1' : ''} ;;`,
  )
  .join('\n')}
  esac
  case "$previous" in
${withValue
  .map((option) => ({ pattern: bashPattern(option), value: option.value ?? '' }))
  .map(({ pattern, value }) => `    ${pattern}) ${bashValues(valuesOf(value))} ;;`)
  .filter((line) => !line.endsWith(') return ;;'))
  .join('\n')}
    ${withValue.map(bashPattern).join('|')}) return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  for ((i = start; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${withValue.map(bashPattern).join('|')}) ((i++)) ;;
      -*) ;;
      *) ((arguments++)) ;;
    esac
  done
  # Without a match bash offers files.
  if [[ $name == peers && $arguments -eq 0 ]]; then
    COMPREPLY=($(compgen -W '${PEER_VERBS.join(' ')}' -- "$word"))
  elif [[ -n $agent && $arguments -eq 0 ]] || [[ $name == peers && $arguments -eq 1 && $previous == remove ]]; then
    COMPREPLY=($(compgen -W "$(_tandem_peers)" -- "$word"))
  fi
}
complete -o default -F _tandem tandem
`;
}

function bashPattern({ name, short }: CompletedOption): string {
  return short === undefined ? `--${name}` : `-${short}|--${name}`;
}

function bashValues(values: Values): string {
  switch (values) {
    case 'peers':
      return `COMPREPLY=($(compgen -W "$(_tandem_peers)" -- "$word")); return`;
    case 'files':
      return `COMPREPLY=($(compgen -f -- "$word")); return`;
    case 'none':
      return 'return';
    default:
      return `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$word")); return`;
  }
}

export function zshScript(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, options, takesAgent }) => {
    const specs = options.flatMap(({ name: option, short, help, value }) => {
      const about = `[${quoted(help)}]${value === undefined ? '' : `:value:${zshValues(valuesOf(value))}`}`;
      return [`'--${option}${about}'`, ...(short === undefined ? [] : [`'-${short}${about}'`])];
    });
    const agent = takesAgent ? ["'1:agent:_tandem_agents'"] : [];
    const verb = name === 'peers' ? [`'1:verb:(${PEER_VERBS.join(' ')})'`, "'2:peer:_tandem_peers'"] : [];
    return `    '${name}') _arguments ${[...specs, ...agent, ...verb].join(' ')} '*:file:_files' ;;`;
  });
  const first = commands
    .filter(({ name }) => !name.includes(' '))
    .map(({ name, summary }) => `'${name}:${quoted(summary)}'`);
  const groupNames = groups(commands).map(([group]) => group);
  return `#compdef tandem
# Completes tandem in zsh. Created by: tandem completion zsh
_tandem_peers() {
  local -a peers
  peers=(\${(f)"$(${PEERS})"})
  compadd -a peers
}
_tandem_agents() {
  _tandem_peers
  _files
}
_tandem() {
  local -a names
  if (( CURRENT == 2 )); then
    names=(${[...first, ...groupNames.map((group) => `'${group}'`)].join(' ')})
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
  if [[ "$name" == (${groupNames.join('|')}) ]]; then
    name="$words[2] $words[3]"
    shift words
    (( CURRENT-- ))
  fi
  # _arguments counts from the last word of the command.
  shift words
  (( CURRENT-- ))
  case "$name" in
${described.join('\n')}
  esac
}
_tandem "$@"
`;
}

function zshValues(values: Values): string {
  switch (values) {
    case 'peers':
      return '_tandem_agents';
    case 'files':
      return '_files';
    case 'none':
      return ' ';
    default:
      return `(${values.join(' ')})`;
  }
}

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options, takesAgent }) => {
    const [first = '', second] = name.split(' ');
    const seen =
      second === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
    const offered =
      second === undefined
        ? `complete -c tandem -f -n __fish_use_subcommand -a ${first} -d '${quoted(summary)}'`
        : `complete -c tandem -f -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${second}' -a ${second} -d '${quoted(summary)}'`;
    const remove = `${seen}; and __fish_seen_subcommand_from remove`;
    const peersAfter = takesAgent ? seen : name === 'peers' ? remove : '';
    const verb = `complete -c tandem -f -n '${seen}; and not __fish_seen_subcommand_from ${PEER_VERBS.join(' ')}' -a '${PEER_VERBS.join(' ')}'`;
    return [
      offered,
      ...(name === 'peers' ? [verb] : []),
      ...(peersAfter === '' ? [] : [`complete -c tandem -n '${peersAfter}' -a '(${PEERS})' -d peer`]),
      ...options.map(
        ({ name: option, short, help, value }) =>
          `complete -c tandem -n '${seen}' -l ${option}${short === undefined ? '' : ` -s ${short}`}${value === undefined ? '' : fishValues(valuesOf(value))} -d '${quoted(help)}'`,
      ),
    ];
  });
  const groupLines = groups(commands).map(([group]) => `complete -c tandem -f -n __fish_use_subcommand -a ${group}`);
  return ['# Completes tandem in fish. Created by: tandem completion fish', ...groupLines, ...lines, ''].join('\n');
}

function fishValues(values: Values): string {
  switch (values) {
    case 'peers':
      return ` -r -a '(${PEERS})'`;
    case 'files':
      return ' -r';
    case 'none':
      return ' -x';
    default:
      return ` -x -a '${values.join(' ')}'`;
  }
}

/** The options of all commands. Options of the same name have the same values everywhere. */
function optionsOf(commands: readonly CompletedCommand[]): readonly CompletedOption[] {
  return [...new Map(commands.flatMap(({ options }) => options.map((option) => [option.name, option]))).values()];
}

function firstWords(commands: readonly CompletedCommand[]): readonly string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
}

/** The command groups, each with its subcommands: `task` with `get`, `list`, … */
function groups(commands: readonly CompletedCommand[]): readonly (readonly [string, readonly string[]])[] {
  const found = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    if (second !== undefined) found.set(first, [...(found.get(first) ?? []), second]);
  }
  return [...found];
}

/** For single quotes, and for the brackets of zsh. */
function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(/[[\]:]/g, '');
}
