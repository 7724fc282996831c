import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpRequest } from '../../src/host/http.ts';
import { agent } from '../../src/agent/agent.ts';
import { createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { ROOT, visit } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8');

function rowsUnder(heading: string): readonly (readonly string[])[] {
  const section = PAGE.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));
}

const code = (cell = ''): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

test('docs/observability.md has the name and the type of every metric', async () => {
  const subject = agent({ name: 'Subject', description: 'Is served.', run: () => 'served' });
  const handler = createHandler(subject, { metrics: true, pushNotifications: true, store: memoryStore() });
  onTestFinished(() => handler.close());
  const request: HttpRequest = {
    method: 'GET',
    path: '/metrics',
    query: '',
    base: '',
    remoteAddress: '127.0.0.1',
    signal: new AbortController().signal,
    header: () => undefined,
    body: async () => ({ text: '' }),
  };
  const { body } = await handler.handle(request);

  const served = [...(typeof body === 'string' ? body : '').matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
    ([, name, type]) => [name, type],
  );
  expect(rowsUnder('Metrics').map(([name, type]) => [code(name)[0], type])).toEqual(served);
  expect(served.length).toBeGreaterThan(8);
});

test('docs/observability.md has the members of an audit record', () => {
  const members: string[] = [];
  const path = 'src/observe/audit.ts';
  visit(path, readFileSync(join(ROOT, path), 'utf8'), {
    TSInterfaceDeclaration: ({ id, body }) => {
      if (id.name !== 'AuditRecord') return;
      for (const member of body.body) {
        if (member.type === 'TSPropertySignature' && member.key.type === 'Identifier') members.push(member.key.name);
      }
    },
  });
  const documented = rowsUnder('Audit').flatMap(([names]) => code(names));
  expect(documented.toSorted()).toEqual(members.toSorted());
  expect(members.length).toBeGreaterThan(5);
});

test.each(['a2a.run', 'a2a.step', 'a2a.push', 'a2a.client.<operation>', 'a2a.<operation>'])(
  'docs/observability.md lists the span %s',
  (span) => {
    expect(rowsUnder('Traces').map(([name]) => code(name)[0])).toContain(span);
  },
);
