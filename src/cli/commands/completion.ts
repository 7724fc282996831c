import { CliError } from '../cli-error.ts';
import { COMMANDS } from '../command-table.ts';
import { bashScript, type CompletedCommand, fishScript, zshScript } from './completion-scripts.ts';
import { defineCommand, EVERYWHERE } from '../option.ts';
import { screen } from '../output/screen.ts';

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

const SYNOPSIS = 'completion <bash|zsh|fish>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about:
    'Prints a script for a shell. With it, the shell completes commands, options, their values and the names of peers.',
  examples: [
    'source <(tandem completion bash)              # in ~/.bashrc',
    'tandem completion zsh > ~/.zfunc/_tandem      # in a folder of $fpath',
    'tandem completion fish > ~/.config/fish/completions/tandem.fish',
  ],
  options: {},
  async run({ positionals }) {
    const [shell, ...rest] = positionals;
    const script =
      shell !== undefined && Object.hasOwn(SHELLS, shell) ? SHELLS[shell as keyof typeof SHELLS] : undefined;
    if (script === undefined || rest.length > 0) throw new CliError('usage', `Pass a shell: tandem ${SYNOPSIS}`);
    screen.write(script(await allCommands()));
  },
});

async function allCommands(): Promise<readonly CompletedCommand[]> {
  return Promise.all(
    Object.entries(COMMANDS).map(async ([name, { summary, load }]) => {
      const { command: loaded } = await load();
      const options = Object.entries({ ...loaded.options, ...EVERYWHERE });
      return {
        name,
        summary,
        takesAgent: loaded.synopsis.startsWith(`${name} [agent]`),
        options: options.map(([option, { short, help, value }]) => ({ name: option, short, help, value })),
      };
    }),
  );
}
