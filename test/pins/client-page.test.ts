import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/client/settings.ts';
import { ROOT, visit } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/client.md'), 'utf8');
const OPTIONS = 'src/client/options.ts';

/** The names in the first column of the table under a heading. */
function namesUnder(heading: string): string[] {
  const section = PAGE.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
}

function membersOf(...names: readonly string[]): string[] {
  const members: string[] = [];
  visit(OPTIONS, readFileSync(join(ROOT, OPTIONS), 'utf8'), {
    TSInterfaceDeclaration: ({ id, body }) => {
      if (!names.includes(id.name)) return;
      for (const member of body.body) {
        if (member.type === 'TSPropertySignature' && member.key.type === 'Identifier') members.push(member.key.name);
      }
    },
  });
  return members;
}

test('docs/client.md lists every option of connect(), in order, and no other', () => {
  const options = membersOf('ConnectOptions');
  expect(namesUnder('Options of `connect`')).toEqual(options);
  expect(options.length).toBeGreaterThan(10);
});

test('docs/client.md lists every option of a call, and no other', () => {
  const options = new Set(membersOf('CallOptions', 'WaitOptions', 'SendOptions', 'AskOptions', 'AnswerOptions'));
  expect(namesUnder('Ask, send, stream').toSorted()).toEqual([...options].toSorted());
  expect(options.size).toBeGreaterThan(10);
});

test('docs/client.md has the default limits of the client', () => {
  const limits = Object.entries(readSettings({}, () => {}).limits).map(([name, value]) =>
    name.endsWith('Bytes') ? `\`${name}\` ${value / 2 ** 20} MiB` : `\`${name}\` ${value}`,
  );
  expect(limits.length).toBeGreaterThan(3);
  for (const limit of limits) expect(PAGE).toContain(limit);
});
