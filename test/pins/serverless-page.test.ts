import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_SERVERLESS } from '../../src/server/serverless/serverless-options.ts';
import { membersOf, ROOT } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/serverless.md'), 'utf8');
const ROWS = [...(PAGE.split('## Options')[1] ?? '').matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];

test('docs/serverless.md lists every member of serverless, and no other', () => {
  const members = membersOf('src/server/serverless/serverless-options.ts', 'ServerlessOptions');
  expect(members.length).toBeGreaterThan(5);
  expect(ROWS.map(([, name]) => name)).toEqual(members);
});

test('docs/serverless.md has the limits of the code', () => {
  const numbers = new Map(ROWS.map(([, name, byDefault]) => [name, byDefault]));
  const { runMs, tokenMs, headStartMs, sweepLimit, repairMs } = DEFAULT_SERVERLESS;
  for (const [name, value] of Object.entries<number>({ runMs, tokenMs, headStartMs, sweepLimit, repairMs }))
    expect([name, numbers.get(name)]).toEqual([name, value.toLocaleString('en-US')]);
  expect(PAGE).toContain(`for one task and ${DEFAULT_SERVERLESS.tokenMs / 60_000} minutes`);
});
