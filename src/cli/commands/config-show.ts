import { AGENT_OPTIONS } from '../agents/agent-options.ts';
import { printJson } from '../output/json-output.ts';
import { defineCommand, type Option } from '../option.ts';
import { readChoice } from '../agents/read-values.ts';
import { oneLine, screen } from '../output/screen.ts';
import { expectNoMore } from '../agents/task-arguments.ts';

export const command = defineCommand({
  synopsis: 'config show',
  about: `Shows the value of each common option and its source: a flag, the environment, the nearest .env file, or
~/.config/a2a-cli/.env. Secrets are shown as ***.`,
  options: { ...AGENT_OPTIONS },
  async run({ values, sources, positionals }) {
    expectNoMore(positionals, 'config show');
    const rows = Object.entries(AGENT_OPTIONS).map(([name, option]) => {
      const value = (values as Readonly<Record<string, unknown>>)[name];
      return { name, value: shown(value, option), source: sources[name] ?? 'default' };
    });
    if (readChoice('output', values.output, ['text', 'json']) === 'json') return printJson({ settings: rows });
    for (const { name, value, source } of rows) {
      if (source === 'default') screen.writeLine(`${name}: (not set)`, 'dim');
      else screen.writeMarked(`${screen.mark(name, 'bold')}: ${oneLine(value ?? '')}  ${screen.mark(source, 'dim')}`);
    }
  },
});

function shown(value: unknown, { secret }: Option): string | null {
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return null;
  return secret === true ? '***' : text;
}
