import { CALL_OPTIONS } from '../agents/call-options.ts';
import { defineCommand, type Option } from '../option.ts';
import { expectNoMore, wantsJson } from '../read-values.ts';
import { oneLine, screen } from '../output/screen.ts';

export const command = defineCommand({
  synopsis: 'config show',
  about: `Shows the value of each common option and its source: a flag, the environment, the nearest .env file, or
~/.config/a2a-cli/.env. Secrets are shown as ***.`,
  options: { ...CALL_OPTIONS },
  async run({ values, sources, positionals }) {
    expectNoMore(positionals, 'config show');
    const rows = Object.entries(CALL_OPTIONS).map(([name, option]) => {
      const value = (values as Readonly<Record<string, unknown>>)[name];
      return { name, value: shown(value, option), source: sources[name] ?? 'default' };
    });
    if (wantsJson(values)) return screen.writeJson({ settings: rows });
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
