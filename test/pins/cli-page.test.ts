import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CALL_OPTIONS } from '../../src/cli/agents/call-options.ts';
import { ALIASES, COMMANDS } from '../../src/cli/command-table.ts';
import { ROOT } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');

function rowsUnder(heading: string): readonly (readonly string[])[] {
  const section = PAGE.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (\[?`.*) \|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
}

const code = (cell = ''): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

test('docs/cli.md lists every command with its aliases, and no other', () => {
  const rows = rowsUnder('Commands').map(
    ([name, , aliases]) => [code(name)[0] ?? '', [...code(aliases)].sort()] as const,
  );
  const names = Object.keys(COMMANDS).map((name) => {
    const aliases = Object.entries(ALIASES).filter(([, target]) => target === name);
    return [name, aliases.map(([alias]) => alias).sort()] as const;
  });
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(names));
});

test('docs/cli.md lists every common option, and no other', () => {
  const names = rowsUnder('Settings').map(([option]) => code(option)[0]?.replace(/^--/, ''));
  expect(names).toEqual(Object.keys(CALL_OPTIONS));
});

test('every alias belongs to an existing command and is not a command itself', () => {
  for (const [alias, name] of Object.entries(ALIASES)) {
    expect(COMMANDS).toHaveProperty([name]);
    expect(COMMANDS).not.toHaveProperty([alias]);
  }
});
