import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, visit } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
const FAULTS = 'src/testing/fake-peer/faults.ts';

/** The rows of the table under a heading: the first cell → the names in the second. */
function tableUnder(heading: string): Map<string, readonly string[]> {
  const section = PAGE.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.matchAll(/^\| `([\w-]+)` \|(.*?)\|/gm);
  return new Map(
    [...rows].map(([, name = '', cell = '']) => [name, [...cell.matchAll(/`(\w+)`/g)].map(([, m]) => m ?? '')]),
  );
}

/** Each interface of a file with its members and the literal type of its member `fault`. */
function interfacesOf(path: string): Map<string, { readonly members: readonly string[]; readonly fault: string }> {
  const found = new Map<string, { members: readonly string[]; fault: string }>();
  const source = readFileSync(join(ROOT, path), 'utf8');
  visit(path, source, {
    TSInterfaceDeclaration: ({ id, body }) => {
      const members: string[] = [];
      for (const member of body.body) {
        if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') continue;
        if (member.key.type === 'Identifier') members.push(member.key.name);
      }
      const [, fault = ''] = /readonly fault: '([\w-]+)'/.exec(source.slice(body.start, body.end)) ?? [];
      found.set(id.name, { members, fault });
    },
  });
  return found;
}

test('docs/testing.md lists every option of a fake peer, and no other', () => {
  const options = interfacesOf('src/testing/fake-peer/peer.ts').get('FakePeerOptions')?.members ?? [];
  expect([...tableUnder('Options of a fake peer').keys()]).toEqual(options);
  expect(options.length).toBeGreaterThan(10);
});

test('docs/testing.md lists every member and every option of an agent under test, and no other', () => {
  const section = PAGE.split('## Test your own agent\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  const named = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name));
  const interfaces = interfacesOf('src/testing/test-agent.ts');
  const members = ['TestAgent', 'TestAgentOptions'].flatMap((name) => interfaces.get(name)?.members ?? []);
  // The computed key is that of `Symbol.asyncDispose`.
  const expected = members.filter((name) => name !== 'Symbol');
  expect(new Set(named)).toEqual(new Set(expected));
  expect(expected.length).toBeGreaterThan(10);
});

test('docs/testing.md lists every fault with its members, and no other', () => {
  const faults = [...interfacesOf(FAULTS).values()].filter(({ fault }) => fault !== '');
  const expected = faults.map(({ fault, members }) => [fault, members.filter((member) => member !== 'fault')]);
  expect(Object.fromEntries(tableUnder('Faults'))).toEqual(Object.fromEntries(expected));
  expect(faults).toHaveLength(10);
});
