import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_PUSH_POLICY } from '../../src/engine/outbox/push-policy.ts';
import { agent } from '../../src/agent/agent.ts';
import { readHandlerOptions } from '../../src/server/options/handler-options.ts';
import { membersOf, ROOT } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/push.md'), 'utf8');
const TABLE = PAGE.split('| member of `push` |')[1]?.split('\n\n')[0] ?? '';

/** Documented name → default. */
const DOCUMENTED = new Map(
  [...TABLE.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name = '', byDefault = '']) => [name, byDefault]),
);

/** A value in the format of the page. */
function written(name: string, value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'any number';
  return name.endsWith('Ms') ? `${value / 3_600_000} hours` : value.toLocaleString('en-US');
}

const MEMBERS = [
  ...membersOf('src/push/address-guard.ts', 'AddressOptions'),
  ...membersOf('src/host/options/address-options.ts', 'OutboundOptions'),
  ...membersOf('src/host/options/push-options.ts', 'PushOptions'),
];

test('docs/push.md lists every member of push, and no other', () => {
  expect([...DOCUMENTED.keys()]).toEqual(MEMBERS);
  expect(MEMBERS.length).toBeGreaterThan(10);
});

test('the server accepts every documented member of push', () => {
  const subject = agent({ name: 'Subject', description: 'Is served.', run: () => 'served' });
  // Not `signing*`: an undefined value for one of them is rejected, because it is most likely a mistake.
  const plain = MEMBERS.filter((name) => !name.startsWith('signing'));
  const push = Object.fromEntries(plain.map((name) => [name, undefined]));

  expect(readHandlerOptions('serve()', subject, { push }).push).toEqual(push);
});

test('docs/push.md has the defaults of the retry policy', () => {
  const { random: _, ...policy } = DEFAULT_PUSH_POLICY;
  const expected = Object.entries(policy).map(([name, value]) => [name, written(name, value)]);

  expect(expected.map(([name = '']) => [name, DOCUMENTED.get(name)])).toEqual(expected);
});

test('docs/push.md has the default timeout of a delivery', () => {
  const source = readFileSync(join(ROOT, 'src/host/outbound/outbound.ts'), 'utf8');

  expect(source).toContain('PUSH_TIMEOUT_MS = 15_000');
  expect(DOCUMENTED.get('timeoutMs')).toBe('15 s');
});
